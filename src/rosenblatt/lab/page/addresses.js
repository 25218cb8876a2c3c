/** Opens what the address of the page names: a board, a step of a lesson or an exercise. Otherwise, the first board. */

import { ask, RefusedError } from "./base/api.js";
import { fromLink, lessonOf } from "./board/link.js";
import { EMPTY } from "./board/store.js";

/** @import { Board, Loaded } from "./base/types.js" */
/** @import { Lab, LabPage } from "./lab.js" */
/** @import { LessonPanel } from "./lessons/lesson_panel.js" */

const FIRST_DATA = "berkeley_points"; // five points of a lecture
const UNREADABLE = "The address does not contain a readable board. Perhaps a part of the address is missing.";

/** Asks the server for a board. @param {string} path @param {object} body @returns {Promise<Board>} */
async function fetchBoard(path, body) {
  /** @type {Loaded} */
  const { board } = await ask(path, body);
  return { ...EMPTY, ...board };
}

/** The board of an address, checked by Python. @param {string} fragment @returns {Promise<Board>} */
async function boardOfFragment(fragment) {
  const text = await fromLink(fragment);
  if (text === null) {
    throw new RefusedError(UNREADABLE);
  }
  return fetchBoard("/api/table", { text, name: "lab.json", target: null, columns: null });
}

export class Addresses {
  /** @param {Lab} lab @param {LabPage} page @param {LessonPanel} lessons */
  constructor({ store, status }, page, lessons) {
    this.store = store;
    this.status = status;
    this.page = page;
    this.lessons = lessons;
    this.firstPanes = ""; // the panes of the first board, as JSON
  }

  async start() {
    const { hash } = location;
    const opened = hash.startsWith("#board=") && (await this.open(hash));
    if (!opened) {
      this.store.open(await fetchBoard("/api/data", { name: FIRST_DATA, options: {}, columns: null }));
      this.firstPanes = JSON.stringify(this.store.board.panes);
    }
    if (hash && !hash.startsWith("#board=")) {
      await this.open(hash);
    }
    addEventListener("hashchange", () => {
      const within = document.getElementById(location.hash.slice(1)) !== null; // a link within the page
      within ? this.page.scheduleAddress() : void this.open(location.hash);
    });
  }

  /** Opens a fragment. If it cannot be read, the status line says why and the board stays. @param {string} fragment */
  async open(fragment) {
    const lesson = lessonOf(fragment);
    try {
      if (lesson) {
        await this.lessons.openAddress(lesson);
      } else {
        this.store.open(await boardOfFragment(fragment));
        this.lessons.close();
      }
      return true;
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      this.status.showError(error.message);
      this.page.scheduleAddress();
      return false;
    }
  }
}
