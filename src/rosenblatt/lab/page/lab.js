/** The page as a whole: it sends changed boards to Python, and draws when an answer comes or the step changes. */

import { h, part, set } from "./base/dom.js";
import { toLink } from "./board/link.js";
import { Pane } from "./panels/pane.js";
import { panel } from "./panels/panel.js";
import { Proof } from "./panels/proof.js";
import { TimeBar } from "./panels/time_bar.js";

/** @import { Ask, Board, Catalogue, Shape } from "./base/types.js" */
/** @import { Status } from "./base/status.js" */
/** @import { Changes } from "./board/changes.js" */
/** @import { Selection } from "./board/selection.js" */
/** @import { Store } from "./board/store.js" */

/**
 * The objects that all parts of the page share.
 *
 * @typedef {{store: Store, selection: Selection, changes: Changes, status: Status, catalogue: Catalogue}} Lab
 */

const REQUEST_INTERVAL = 60; // milliseconds between requests to Python while a point is moved
const ADDRESS_DELAY = 250; // milliseconds without a change before the address is updated

/** The parts of a board on which every run and the verdict depend. */
const SHARED_INPUTS = /** @type {const} */ (["points", "classes", "gaussians", "view", "names"]);

export class LabPage {
  /** @param {Lab} lab @param {(board: Board) => void} showTools */
  constructor(lab, showTools) {
    this.lab = lab;
    this.showTools = showTools;
    this.wide = matchMedia("(min-width: 700px)").matches;
    this.go = (/** @type {number} */ step) => lab.store.show(step);
    this.time = new TimeBar(this.go);
    this.proof = new Proof(lab.status, () => lab.store.board, () => this.scheduleDraw());
    this.proofPanel = panel("Proof", this.wide, this.proof.element);
    /** @type {Pane[]} */
    this.panes = [];
    /** @type {Shape[]} shapes of a lesson, drawn over those of the proof */
    this.lessonShapes = [];
    /** @type {Set<number>} panes whose run must be requested again */
    this.stalePanes = new Set();
    this.staleVerdict = false;
    this.lessonFragment = ""; // the address of the open lesson or exercise; "" if none is open
    this.questionOpen = false; // if true, the page hides what would answer the question of a lesson
    /** @type {number | undefined} */
    this.requestTimer = undefined;
    /** @type {number | undefined} */
    this.drawRequest = undefined;
    part("time-place").append(this.time.element);
    part("verdict-place").append(this.proof.line);
    part("proof-place").append(this.proofPanel);
    lab.store.subscribe((board, before) => this.boardChanged(board, before));
    lab.selection.subscribe(() => this.scheduleDraw());
  }

  /** @param {Board} board @param {Board} before */
  boardChanged(board, before) {
    this.matchPanes(board);
    const all = SHARED_INPUTS.some((name) => board[name] !== before[name]);
    board.panes.forEach((pane, i) => {
      if (all || JSON.stringify(pane) !== JSON.stringify(before.panes[i])) {
        this.stalePanes.add(i);
      }
    });
    this.staleVerdict ||= all;
    if (this.stalePanes.size > 0) {
      this.requestTimer ??= setTimeout(() => this.sendRequests(), REQUEST_INTERVAL);
    }
    const { selected } = this.lab.selection;
    if (selected !== null && selected >= board.points.length) {
      this.lab.selection.update({ selected: null });
    }
    this.scheduleAddress();
    this.scheduleDraw();
  }

  /** Updates the address of the page after a short delay. */
  scheduleAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => void this.updateAddress(), ADDRESS_DELAY);
  }

  /** Asks Python for the stale runs and the stale verdict. */
  sendRequests() {
    this.requestTimer = undefined;
    const { board } = this.lab.store;
    for (const i of this.stalePanes) {
      this.panes[i]?.ask(board);
    }
    this.stalePanes.clear();
    if (this.staleVerdict) {
      this.staleVerdict = false;
      this.proof.ask(board);
    }
  }

  async updateAddress() {
    const { board } = this.lab.store;
    const link = this.lessonFragment || (await toLink(board));
    if (board === this.lab.store.board) {
      history.replaceState(null, "", link);
    }
  }

  /** Adds or removes panes until there are as many as on the board. @param {Board} board */
  matchPanes(board) {
    const count = board.panes.length;
    while (this.panes.length < count) {
      const page = { go: this.jump.bind(this), changed: () => this.scheduleDraw(), wide: this.wide };
      const pane = new Pane(this.panes.length, this.lab, page);
      this.panes.push(pane);
      part("planes").append(pane.figure);
      part("pane-panels").append(pane.panels);
      this.stalePanes.add(pane.number);
    }
    while (this.panes.length > count) {
      const pane = this.panes.pop();
      pane?.figure.remove();
      pane?.panels.remove();
    }
    set(part("lab"), { "data-panes": count });
    set(part("compare"), { "aria-pressed": String(count === 2) });
  }

  /** Goes to a step and stops playing. @param {number} step */
  jump(step) {
    this.time.jump(step);
  }

  /** Draws before the next animation frame. Several calls draw once. */
  scheduleDraw() {
    this.drawRequest ??= requestAnimationFrame(() => {
      this.drawRequest = undefined;
      this.draw();
    });
  }

  /** The last step of the longest run. */
  get last() {
    return Math.max(0, ...this.panes.map((pane) => pane.last));
  }

  draw() {
    const { store, selection } = this.lab;
    const { board } = store;
    const proof = this.overlay();
    this.time.show(Math.min(board.step, this.last), this.last, this.questionOpen);
    for (const pane of this.panes) {
      pane.show(board, { proof, selected: selection.selected, playing: this.time.isPlaying, questionOpen: this.questionOpen });
    }
    this.showTools(board);
    set(part("undo"), { disabled: store.past.length === 0 });
    set(part("redo"), { disabled: store.future.length === 0 });
  }

  /**
   * The shapes of the proof, of the lesson and of the reader's own line. It returns the same list until one of them
   * changes, so that the plane is not drawn again.
   *
   * @returns {Shape[]}
   */
  overlay() {
    const { line } = this.lab.selection;
    const parts = [this.proof.shapes, this.lessonShapes, line];
    if (!this.overlayParts || parts.some((list, i) => list !== this.overlayParts?.[i])) {
      /** @type {Shape[]} */
      const drawn = line.length === 2 ? [{ type: "line", role: "answer", points: line }] : [];
      const ends = line.map((at) => /** @type {Shape} */ ({ type: "mark", role: "contact", at }));
      this.overlayParts = parts;
      this.overlayShapes = [...this.proof.shapes, ...this.lessonShapes, ...drawn, ...ends];
    }
    return this.overlayShapes ?? [];
  }

  /** Draws the proof and opens its panel, or removes the drawing. @param {boolean} shown */
  showProof(shown) {
    this.proof.draw(shown);
    if (shown) {
      this.proofPanel.open = true;
    }
  }

  /**
   * Shows a step of a lesson, or what an answer reveals. While a question is open, the verdict, the chart and the number
   * of steps are hidden.
   *
   * @param {{board?: Board | null, t?: number | null, proof?: boolean, shapes?: Shape[], ask?: Ask | null, locked?: boolean}} scene
   *   t = -1 means the last frame; locked means that the steps themselves would give the answer
   */
  setUp({ board, t, proof, shapes, ask, locked }) {
    const changesPoints = ask?.fields.some(({ kind }) => kind === "board"); // then the reader needs the run
    this.hideAnswers(Boolean(ask && !proof), Boolean(ask && locked && !changesPoints));
    const { store, catalogue } = this.lab;
    this.time.pause();
    this.lessonShapes = shapes ?? [];
    if (board) {
      store.change({ ...board });
    }
    if (typeof t === "number") {
      store.show(t < 0 ? catalogue.limits.steps : t);
    }
    this.showProof(Boolean(proof));
  }

  /** Hides what would answer an open question, or shows it again. @param {boolean} questionOpen @param {boolean} [locked] */
  hideAnswers(questionOpen, locked = false) {
    this.questionOpen = questionOpen;
    this.time.lock(locked);
    set(part("lab"), { "data-question-open": questionOpen });
    this.scheduleDraw();
  }

  /** Switches between one pane and two panes on the same points. */
  toggleCompare() {
    const { board } = this.lab.store;
    const [first] = board.panes;
    if (first) {
      this.lab.store.change({ panes: board.panes.length === 2 ? [first] : [first, { ...first }] });
    }
  }
}

/** Replaces the page by a sentence that says why it could not start. @param {string} sentence */
export function showStartError(sentence) {
  part("lab").replaceChildren(h("p", { class: "could-not" }, sentence));
}
