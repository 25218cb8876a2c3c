/** The time bar: play and pause, single steps, and a slider for all steps. The keyboard works too. */

import { h, inField, set, write } from "../base/dom.js";
import { icon } from "../base/icons.js";

/** @type {[string, number][]} steps per second */
const SPEEDS = [
  ["0.5 a second", 0.5],
  ["1 a second", 1],
  ["2 a second", 2],
  ["5 a second", 5],
  ["20 a second", 20],
];

export class TimeBar {
  /** @param {(step: number) => void} go */
  constructor(go) {
    this.go = go;
    this.now = 0;
    this.last = 0;
    this.locked = false;
    /** @type {number | null} */
    this.timer = null;
    /** @param {string} name @param {string} label @param {() => void} act */
    const button = (name, label, act) =>
      h("button", { type: "button", class: `tool ${name}`, "aria-label": label, title: label, onclick: act }, icon(name));
    this.first = button("first", "First step (Home)", () => this.jump(0));
    this.back = button("back", "Step back (left arrow)", () => this.jump(this.now - 1));
    this.playButton = button("play", "Play (space)", () => this.toggle());
    this.forward = button("forward", "Step forward (right arrow)", () => this.jump(this.now + 1));
    this.end = button("last", "Last step (End)", () => this.jump(this.last));
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      "aria-label": "Step",
      oninput: () => this.jump(this.slider.valueAsNumber),
    });
    this.where = h("output", { class: "where" });
    const speeds = SPEEDS.map(([label, speed]) => h("option", { value: speed, selected: speed === 1 }, label));
    this.speed = h("select", { "aria-label": "Speed, in steps", title: "Speed", onchange: () => this.restartTimer() }, ...speeds);
    const buttons = h("div", { class: "buttons" }, this.first, this.back, this.playButton, this.forward, this.end);
    this.element = h("div", { class: "time", role: "group", "aria-label": "Time" }, buttons, this.slider, this.where, this.speed);
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** @param {number} now @param {number} last @param {boolean} questionOpen if true, the number of steps is hidden */
  show(now, last, questionOpen) {
    this.now = now;
    this.last = last;
    set(this.slider, { max: last, "aria-valuetext": questionOpen ? `step ${now}` : `step ${now} of ${last}` });
    this.slider.value = String(now);
    write(this.where, questionOpen ? `step ${now}` : `${now} / ${last}`);
    this.first.disabled = this.back.disabled = now === 0;
    this.forward.disabled = this.end.disabled = now === last;
    this.playButton.disabled = last === 0;
    if (now === last && this.timer !== null) {
      this.pause();
    }
  }

  /** Disables the bar while the steps would answer a question. @param {boolean} locked */
  lock(locked) {
    this.pause();
    this.locked = locked;
    this.element.inert = locked;
  }

  /** @param {number} step */
  jump(step) {
    if (this.locked) {
      return;
    }
    this.pause();
    this.now = Math.max(0, Math.min(this.last, step)); // at once, because keys can come faster than drawings
    this.go(this.now);
  }

  get isPlaying() {
    return this.timer !== null;
  }

  toggle() {
    if (this.isPlaying) {
      this.pause();
    } else if (this.last > 0 && !this.locked) {
      if (this.now === this.last) {
        this.go(0);
      }
      this.setPlayButton("pause", "Pause (space)");
      this.restartTimer(true);
    }
  }

  /** Starts the timer with the chosen speed; without `start`, only if it runs already. @param {boolean} [start] */
  restartTimer(start = false) {
    if (this.timer !== null) {
      clearInterval(this.timer);
    }
    if (start || this.timer !== null) {
      this.timer = setInterval(() => this.go(Math.min(this.now + 1, this.last)), 1000 / Number(this.speed.value));
    }
  }

  pause() {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
      this.setPlayButton("play", "Play (space)");
      this.go(this.now);
    }
  }

  /** Sets the icon and the label of the play button. @param {string} name @param {string} label */
  setPlayButton(name, label) {
    this.playButton.replaceChildren(icon(name));
    set(this.playButton, { "aria-label": label, title: label });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { target } = event;
    const own = event.key === " " ? "dialog" : "dialog, .plane, [data-keys]"; // where these keys have another meaning
    const elsewhere = target instanceof Element && target.closest(own) !== null;
    if (event.ctrlKey || event.metaKey || event.altKey || elsewhere || (inField(target) && target !== this.slider)) {
      return;
    }
    const onButton = target instanceof Element && target.closest("button, summary, input, a") !== null;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.jump(this.now - 1),
      ArrowRight: () => this.jump(this.now + 1),
      Home: () => this.jump(0),
      End: () => this.jump(this.last),
      ...(onButton && target !== this.slider ? {} : { " ": () => this.toggle() }),
    };
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }
}
