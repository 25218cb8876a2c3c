/** The lesson panel: the list of lessons and exercises, and the open lesson. */

import { ask, RefusedError } from "../base/api.js";
import { QuestionForm } from "./question_form.js";
import { h, part, set } from "../base/dom.js";
import { ExerciseView } from "./exercise.js";
import { icon } from "../base/icons.js";

/** @import { Ask, Lesson, Lessons } from "../base/types.js" */
/** @import { Lab, LabPage } from "../lab.js" */

export class LessonPanel {
  /** @param {Lab} lab @param {LabPage} page */
  constructor(lab, page) {
    this.lab = lab;
    this.page = page;
    this.place = part("lesson");
    this.asksLine = false; // whether the open question asks for a line
    /** @type {Lessons | null} */
    this.lessons = null;
  }

  /** Opens the list, or closes the panel if it is open. */
  async toggle() {
    if (!this.place.hidden) {
      this.close();
    } else if (await this.load()) {
      this.list();
    }
  }

  /** Loads the lessons once. Returns whether they are loaded. */
  async load() {
    try {
      this.lessons ??= await ask("/api/lessons");
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      this.lab.status.showError(error.message);
    }
    return this.lessons !== null;
  }

  /**
   * Opens the lesson or exercise of an address. If it does not exist, the list opens.
   *
   * @param {{kind: string, id: string, number: number}} which
   */
  async openAddress({ kind, id, number }) {
    await this.load();
    const lesson = this.lessons?.lessons.find((one) => kind === "lesson" && one.id === id);
    const exercise = this.lessons?.exercises.find((one) => kind === "exercise" && one.id === id);
    if (lesson) {
      this.step(lesson, number - 1);
    } else if (exercise) {
      await new ExerciseView(this, exercise).pose(number);
    } else {
      this.list();
    }
  }

  /** Sets the address of the page. With "" it is the address of the board. @param {string} fragment */
  setAddress(fragment) {
    this.page.lessonFragment = fragment;
    this.page.scheduleAddress();
  }

  close() {
    this.setAddress("");
    set(this.place, { hidden: true });
    set(part("lessons-open"), { "aria-pressed": null });
    this.asksLine = false;
    this.page.lessonShapes = [];
    this.page.hideAnswers(false);
    this.lab.selection.update({ line: [] });
  }

  /**
   * Shows a title, a note and elements in the panel.
   *
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

  /** Shows the list of lessons and exercises. */
  list() {
    const { lessons, exercises } = this.lessons ?? { lessons: [], exercises: [] };
    /** @param {string} title @param {string} note @param {() => void} act */
    const entry = (title, note, act) =>
      h("li", {}, h("button", { type: "button", class: "entry", onclick: act }, title), h("span", { class: "note" }, note));
    const lessonEntries = lessons.map((lesson) => entry(lesson.title, lesson.lecture, () => this.step(lesson, 0)));
    const exerciseEntries = exercises.map((exercise) =>
      entry(exercise.title, exercise.about, () => void new ExerciseView(this, exercise).another()),
    );
    this.page.hideAnswers(false);
    this.setAddress("");
    this.show("Lessons", "There is one lesson for each lecture. Each step asks you to predict a result before it shows the result.",
      h("ul", { class: "lesson-list" }, ...lessonEntries),
      h("h3", {}, "Exercises"),
      h("p", { class: "note" }, "Practise what the lectures teach. The lab checks your answers."),
      h("ul", { class: "lesson-list" }, ...exerciseEntries),
    );
  }

  /** Shows a step of a lesson. @param {Lesson} lesson @param {number} number */
  step(lesson, number) {
    const step = lesson.steps[number];
    if (!step) {
      this.list();
      return;
    }
    const words = step.say.map((text) => h("p", { class: "say" }, text));
    const isLast = number === lesson.steps.length - 1;
    const goOn = () => this.step(lesson, number + 1);
    const next = h("button", { type: "button", class: step.ask ? null : "primary", onclick: goOn }, isLast ? "Finish" : "Next");
    const form = step.ask ? this.form(step.ask, { lesson: lesson.id, step: number }, () => next.classList.add("primary")) : null;
    const buttons = h(
      "div",
      { class: "row turns" },
      h("button", { type: "button", disabled: number === 0, onclick: () => this.step(lesson, number - 1) }, "Back"),
      next,
      h("button", { type: "button", class: "quiet", onclick: () => this.list() }, "All lessons"),
    );
    this.lab.selection.update({ line: [], tool: "point" });
    this.show(lesson.title, `${lesson.lecture}. Step ${number + 1} of ${lesson.steps.length}`, ...words, ...(form ? [form] : []), buttons);
    this.page.setUp(step);
    this.setAddress(`#lesson=${lesson.id}.${number + 1}`);
    this.chooseLineTool(step.ask);
  }

  /**
   * The form of a question.
   *
   * @param {Ask} question
   * @param {Record<string, unknown>} which names the step or the exercise
   * @param {() => void} revealed called after the answer is shown
   */
  form(question, which, revealed) {
    /** @param {Record<string, any>} answers @param {boolean} show */
    const check = (answers, show) =>
      this.check({ ...which, answers, board: this.lab.store.board, ...(show ? { show } : {}) });
    const form = new QuestionForm(question, this.lab, check, (reveal) => {
      this.page.setUp(reveal);
      revealed();
    });
    return form.element;
  }

  /** Asks Python to check answers. @param {Record<string, unknown>} request @returns {Promise<import("../base/types.js").Checked>} */
  async check(request) {
    try {
      return await ask("/api/check", request);
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      return { right: false, say: error.message, fields: {}, reveal: null };
    }
  }

  /** Chooses the line tool if a question asks for a line. @param {Ask | null} question */
  chooseLineTool(question) {
    this.asksLine = question?.fields.some(({ kind }) => kind === "line") ?? false;
    this.lab.selection.update(this.asksLine ? { tool: "line", line: [] } : {});
  }
}
