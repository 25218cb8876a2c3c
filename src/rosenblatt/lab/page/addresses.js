/** What the address of the page opens: a board, a lesson at a step, an exercise; else the first board. */

import { ask, Refused } from "./base/api.js";
import { fromLink, lessonOf } from "./board/link.js";
import { EMPTY } from "./board/store.js";

/** @import { Board, Loaded } from "./base/types.js" */
/** @import { Lab } from "./panels/pane.js" */
/** @import { Laboratory } from "./lab.js" */
/** @import { LessonPanel } from "./lessons/lessons.js" */

const FIRST = "berkeley_points"; // what a newcomer sees: five points of a lecture
const CUT = "The address holds no board that can be read; perhaps a part of it was lost on the way.";

/** @param {string} path @param {object} body @returns {Promise<Board>} */
async function loaded(path, body) {
  /** @type {Loaded} */
  const { board } = await ask(path, body);
  return { ...EMPTY, ...board };
}

/** The board of an address, as Python understands it. @param {string} fragment @returns {Promise<Board>} */
async function boardIn(fragment) {
  const text = await fromLink(fragment);
  if (text === null) {
    throw new Refused(CUT);
  }
  return loaded("/api/table", { text, name: "lab.json", target: null, columns: null });
}

export class Addresses {
  /** @param {Lab} lab @param {Laboratory} laboratory @param {LessonPanel} lessons */
  constructor({ store, status }, laboratory, lessons) {
    this.store = store;
    this.status = status;
    this.laboratory = laboratory;
    this.lessons = lessons;
    this.first = ""; // the panes of the first board, as text
  }

  async start() {
    const { hash } = location;
    const opened = hash.startsWith("#board=") && (await this.open(hash));
    if (!opened) {
      this.store.open(await loaded("/api/data", { name: FIRST, options: {}, columns: null }));
      this.first = JSON.stringify(this.store.board.panes);
    }
    if (hash && !hash.startsWith("#board=")) {
      await this.open(hash);
    }
    addEventListener("hashchange", () => {
      const within = document.getElementById(location.hash.slice(1)) !== null; // a place on the page
      within ? this.laboratory.readdress() : void this.open(location.hash);
    });
  }

  /** Opens what a fragment holds; a sentence if it cannot be read, and then the board stays as it is. @param {string} fragment */
  async open(fragment) {
    const lesson = lessonOf(fragment);
    try {
      if (lesson) {
        await this.lessons.follow(lesson);
      } else {
        this.store.open(await boardIn(fragment));
        this.lessons.close();
      }
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.status.refuse(error.message);
      this.laboratory.readdress();
      return false;
    }
  }
}
