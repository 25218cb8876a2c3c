/** Lessons and exercises: the list, and the one that is open. */

import { ask, Refused } from "../base/api.js";
import { AskForm } from "./question.js";
import { h, part, set } from "../base/dom.js";
import { ExerciseView } from "./exercise.js";
import { icon } from "../base/icons.js";

/** @import { Ask, Lesson, Lessons } from "../base/types.js" */
/** @import { Lab } from "../panels/pane.js" */
/** @import { Laboratory } from "../lab.js" */

export class LessonPanel {
  /** @param {Lab} lab @param {Laboratory} laboratory */
  constructor(lab, laboratory) {
    this.lab = lab;
    this.laboratory = laboratory;
    this.place = part("lesson");
    this.asksLine = false;
    /** @type {Lessons | null} */
    this.lessons = null;
  }

  async open() {
    if (!this.place.hidden) {
      this.close();
    } else if (await this.fetched()) {
      this.list();
    }
  }

  /** Whether the lessons are here. */
  async fetched() {
    try {
      this.lessons ??= await ask("/api/lessons");
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      this.lab.status.refuse(error.message);
    }
    return this.lessons !== null;
  }

  /** Opens what an address asks for, if there is such a thing. @param {{kind: string, id: string, number: number}} which */
  async follow({ kind, id, number }) {
    await this.fetched();
    const lesson = this.lessons?.lessons.find((one) => kind === "lesson" && one.id === id);
    const task = this.lessons?.exercises.find((one) => kind === "exercise" && one.id === id);
    if (lesson) {
      this.step(lesson, number - 1);
    } else if (task) {
      await new ExerciseView(this, task).pose(number);
    } else {
      this.list();
    }
  }

  /** What the address opens from now on; none is the board. @param {string} fragment */
  address(fragment) {
    this.laboratory.lesson = fragment;
    this.laboratory.readdress();
  }

  close() {
    this.address("");
    set(this.place, { hidden: true });
    set(part("lessons-open"), { "aria-pressed": null });
    this.asksLine = false;
    this.laboratory.extra = [];
    this.laboratory.hide(false);
    this.lab.hand.take({ line: [] });
  }

  /**
   * @param {string} title
   * @param {string} note
   * @param {...Node} body
   */
  show(title, note, ...body) {
    const close = h("button", { type: "button", class: "tool", "aria-label": "Close the lesson", onclick: () => this.close() }, icon("close"));
    const heading = h("h2", { tabindex: -1 }, title);
    const head = h("div", { class: "lesson-head" }, h("div", {}, heading, h("p", { class: "note" }, note)), close);
    this.place.replaceChildren(head, ...body);
    this.asksLine = false;
    set(this.place, { hidden: false });
    set(part("lessons-open"), { "aria-pressed": "true" });
    heading.focus({ preventScroll: true });
    const { top } = this.place.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) {
      this.place.scrollIntoView({ block: "start" });
    }
  }

  list() {
    const { lessons, exercises } = this.lessons ?? { lessons: [], exercises: [] };
    /** @param {string} title @param {string} note @param {() => void} act */
    const entry = (title, note, act) =>
      h("li", {}, h("button", { type: "button", class: "entry", onclick: act }, title), h("span", { class: "note" }, note));
    const rows = lessons.map((lesson) => entry(lesson.title, lesson.lecture, () => this.step(lesson, 0)));
    const tasks = exercises.map((task) => entry(task.title, task.about, () => void new ExerciseView(this, task).another()));
    this.laboratory.hide(false);
    this.address("");
    this.show("Lessons", "One a lecture; each asks you to predict before it shows.",
      h("ul", { class: "lesson-list" }, ...rows),
      h("h3", {}, "Exercises"),
      h("p", { class: "note" }, "What a student must be able to do, checked by the program."),
      h("ul", { class: "lesson-list" }, ...tasks),
    );
  }

  /** @param {Lesson} lesson @param {number} number */
  step(lesson, number) {
    const step = lesson.steps[number];
    if (!step) {
      this.list();
      return;
    }
    const words = step.say.map((text) => h("p", { class: "say" }, text));
    const ending = number === lesson.steps.length - 1;
    const forth = () => this.step(lesson, number + 1);
    const next = h("button", { type: "button", class: step.ask ? null : "primary", onclick: forth }, ending ? "Finish" : "Next");
    const form = step.ask ? this.form(step.ask, { lesson: lesson.id, step: number }, () => next.classList.add("primary")) : null;
    const turns = h(
      "div",
      { class: "row turns" },
      h("button", { type: "button", disabled: number === 0, onclick: () => this.step(lesson, number - 1) }, "Back"),
      next,
      h("button", { type: "button", class: "quiet", onclick: () => this.list() }, "All lessons"),
    );
    this.lab.hand.take({ line: [], tool: "point" });
    this.show(lesson.title, `${lesson.lecture}; ${number + 1} of ${lesson.steps.length}`, ...words, ...(form ? [form] : []), turns);
    this.laboratory.setUp(step);
    this.address(`#lesson=${lesson.id}.${number + 1}`);
    this.watchLine(step.ask);
  }

  /** @param {Ask} question @param {Record<string, unknown>} which @param {() => void} revealed */
  form(question, which, revealed) {
    /** @param {Record<string, any>} answers @param {boolean} show */
    const check = (answers, show) =>
      this.checked({ ...which, answers, board: this.lab.store.board, ...(show ? { show } : {}) });
    const form = new AskForm(question, this.lab, check, (reveal) => {
      this.laboratory.setUp(reveal);
      revealed();
    });
    return form.element;
  }

  /** @param {Record<string, unknown>} request @returns {Promise<import("../base/types.js").Checked>} */
  async checked(request) {
    try {
      return await ask("/api/check", request);
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      return { right: false, say: error.message, fields: {}, reveal: null };
    }
  }

  /** The tool that draws a line is there while one is asked for. @param {Ask | null} question */
  watchLine(question) {
    this.asksLine = question?.fields.some(({ kind }) => kind === "line") ?? false;
    this.lab.hand.take(this.asksLine ? { tool: "line", line: [] } : {});
  }
}
