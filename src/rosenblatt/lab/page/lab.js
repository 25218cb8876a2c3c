/** The lab as a whole: when the board changes, Python is asked; when it answers, or time goes on, the page is drawn. */

import { h, part, set } from "./base/dom.js";
import { toLink } from "./board/link.js";
import { Pane } from "./panels/pane.js";
import { panel } from "./panels/panels.js";
import { Proof } from "./panels/proof.js";
import { Time } from "./panels/time_bar.js";

/** @import { Ask, Board, Shape } from "./base/types.js" */
/** @import { Lab } from "./panels/pane.js" */

const PAUSE = 60; // milliseconds between questions to Python while a point is moved
const REST = 250; // milliseconds of rest before the address changes

/** The parts of a board on which runs and verdicts depend. */
const ASKED = /** @type {const} */ (["points", "classes", "gaussians", "view", "names"]);

export class Laboratory {
  /** @param {Lab} lab @param {(board: Board) => void} showTools */
  constructor(lab, showTools) {
    this.lab = lab;
    this.showTools = showTools;
    this.wide = matchMedia("(min-width: 700px)").matches;
    this.go = (/** @type {number} */ step) => lab.store.show(step);
    this.time = new Time(this.go);
    this.proof = new Proof(lab.status, () => lab.store.board, () => this.changed());
    this.proofPanel = panel("Proof", this.wide, this.proof.element);
    /** @type {Pane[]} */
    this.panes = [];
    /** @type {Shape[]} shapes of a lesson, over those of the proof */
    this.extra = [];
    /** @type {Set<number>} panes that Python is to be asked about */
    this.stale = new Set();
    this.unproved = false;
    this.lesson = ""; // the fragment that opens the lesson or exercise that is open
    this.secret = false; // a lesson asks, and what would answer is not shown
    /** @type {number | undefined} */
    this.asking = undefined;
    /** @type {number | undefined} */
    this.drawing = undefined;
    part("time-place").append(this.time.element);
    part("verdict-place").append(this.proof.line);
    part("proof-place").append(this.proofPanel);
    lab.store.subscribe((board, before) => this.heard(board, before));
    lab.hand.subscribe(() => this.changed());
  }

  /** @param {Board} board @param {Board} before */
  heard(board, before) {
    this.fitPanes(board);
    const all = ASKED.some((name) => board[name] !== before[name]);
    board.panes.forEach((pane, i) => {
      if (all || JSON.stringify(pane) !== JSON.stringify(before.panes[i])) {
        this.stale.add(i);
      }
    });
    this.unproved ||= all;
    if (this.stale.size > 0) {
      this.asking ??= setTimeout(() => this.ask(), PAUSE);
    }
    const { selected } = this.lab.hand;
    if (selected !== null && selected >= board.points.length) {
      this.lab.hand.take({ selected: null });
    }
    this.readdress();
    this.changed();
  }

  readdress() {
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => void this.address(), REST);
  }

  ask() {
    this.asking = undefined;
    const { board } = this.lab.store;
    for (const i of this.stale) {
      this.panes[i]?.ask(board);
    }
    this.stale.clear();
    if (this.unproved) {
      this.unproved = false;
      this.proof.ask(board);
    }
  }

  async address() {
    const { board } = this.lab.store;
    const link = this.lesson || (await toLink(board));
    if (board === this.lab.store.board) {
      history.replaceState(null, "", link);
    }
  }

  /** @param {Board} board */
  fitPanes(board) {
    const many = board.panes.length;
    while (this.panes.length < many) {
      const page = { go: this.jump.bind(this), changed: () => this.changed(), wide: this.wide };
      const pane = new Pane(this.panes.length, this.lab, page);
      this.panes.push(pane);
      part("planes").append(pane.figure);
      part("pane-panels").append(pane.panels);
      this.stale.add(pane.number);
    }
    while (this.panes.length > many) {
      const pane = this.panes.pop();
      pane?.figure.remove();
      pane?.panels.remove();
    }
    set(part("lab"), { "data-panes": many });
    set(part("compare"), { "aria-pressed": String(many === 2) });
  }

  /** To a step, at once and by hand. @param {number} step */
  jump(step) {
    this.time.jump(step);
  }

  /** Draws once, before the next picture, however much changed. */
  changed() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.draw();
    });
  }

  get last() {
    return Math.max(0, ...this.panes.map((pane) => pane.last));
  }

  draw() {
    const { store, hand } = this.lab;
    const { board } = store;
    const proof = this.overlay();
    this.time.show(Math.min(board.step, this.last), this.last, this.secret);
    for (const pane of this.panes) {
      pane.show(board, { proof, selected: hand.selected, playing: this.time.going, secret: this.secret });
    }
    this.showTools(board);
    set(part("undo"), { disabled: store.past.length === 0 });
    set(part("redo"), { disabled: store.future.length === 0 });
  }

  /** Proof, lesson and the reader's own line; the same list while none of them changed. @returns {Shape[]} */
  overlay() {
    const { line } = this.lab.hand;
    const parts = [this.proof.shapes, this.extra, line];
    if (!this.parts || parts.some((list, i) => list !== this.parts?.[i])) {
      /** @type {Shape[]} */
      const drawn = line.length === 2 ? [{ type: "line", role: "answer", points: line }] : [];
      const ends = line.map((at) => /** @type {Shape} */ ({ type: "mark", role: "contact", at }));
      this.parts = parts;
      this.over = [...this.proof.shapes, ...this.extra, ...drawn, ...ends];
    }
    return this.over ?? [];
  }

  /** Opens the panel of the proof and draws it. @param {boolean} open */
  prove(open) {
    this.proof.draw(open);
    if (open) {
      this.proofPanel.open = true;
    }
  }

  /**
   * Sets the page up as a step of a lesson has it, or shows what an answer reveals. While a question is open, verdict,
   * chart and number of steps are not seen.
   *
   * @param {{board?: Board | null, t?: number | null, proof?: boolean, shapes?: Shape[], ask?: Ask | null, locked?: boolean}} scene
   *   t = -1 is the last frame; locked: the steps themselves would answer
   */
  setUp({ board, t, proof, shapes, ask, locked }) {
    const byHand = ask?.fields.every(({ kind }) => kind !== "board"); // else the run is watched while points are moved
    this.hide(Boolean(ask && !proof), Boolean(locked && byHand));
    const { store, catalogue } = this.lab;
    this.time.pause();
    this.extra = shapes ?? [];
    if (board) {
      store.change({ ...board });
    }
    if (typeof t === "number") {
      store.show(t < 0 ? catalogue.limits.steps : t);
    }
    this.prove(Boolean(proof));
  }

  /** What would answer a question is not seen, or is again. @param {boolean} secret @param {boolean} [locked] */
  hide(secret, locked = false) {
    this.secret = secret;
    this.time.lock(locked);
    set(part("lab"), { "data-secret": secret });
    this.changed();
  }

  /** One pane, or two on the same points. */
  compare() {
    const { board } = this.lab.store;
    const [first] = board.panes;
    if (first) {
      this.lab.store.change({ panes: board.panes.length === 2 ? [first] : [first, { ...first }] });
    }
  }
}

/** A line of text where the page could not start. @param {string} sentence */
export function couldNotStart(sentence) {
  part("lab").replaceChildren(h("p", { class: "could-not" }, sentence));
}
