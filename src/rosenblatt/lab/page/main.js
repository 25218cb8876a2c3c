/** The start: catalogue, board, and who hears of what. */

import { Addresses } from "./addresses.js";
import { ask, Refused } from "./api.js";
import { Changes } from "./changes.js";
import { ClassesDialog } from "./classes.js";
import { DataDialog } from "./data.js";
import { part } from "./dom.js";
import { ExportDialog } from "./export.js";
import { Hand } from "./hand.js";
import { HelpDialog } from "./help.js";
import { icon } from "./icons.js";
import { listenForKeys } from "./keys.js";
import { couldNotStart, Laboratory } from "./lab.js";
import { LessonPanel } from "./lessons.js";
import { ShareDialog } from "./share.js";
import { Status } from "./status.js";
import { Store } from "./store.js";
import { startTheme } from "./theme.js";
import { Tools } from "./tools.js";

/** A button of the bar works from now on. @param {string} id @param {() => void} act */
function press(id, act) {
  part(id).addEventListener("click", act);
  part(id).removeAttribute("disabled");
}

/** @param {Store} store */
function listenForUndo(store) {
  press("undo", () => store.undo());
  press("redo", () => store.redo());
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input[type=number], input[type=text], textarea");
    if (!(event.ctrlKey || event.metaKey) || typing) {
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "z" || key === "y") {
      event.preventDefault();
      key === "y" || event.shiftKey ? store.redo() : store.undo();
    }
  });
}

async function start() {
  startTheme();
  part("undo").append(icon("undo"));
  part("redo").append(icon("redo"));
  const catalogue = await ask("/api/catalogue");
  const [store, hand, status] = [new Store(), new Hand(), new Status()];
  const changes = new Changes(store, catalogue.limits, status.say);
  const lab = { store, hand, changes, status, catalogue };
  const classes = new ClassesDialog(store, catalogue.limits.classes);
  const tools = new Tools(hand, changes, catalogue, status, () => classes.open());
  part("tools-place").append(tools.element);
  const laboratory = new Laboratory(lab, (board) => tools.show(board, lessons.asksLine));
  const lessons = new LessonPanel(lab, laboratory);
  const data = new DataDialog(lab);
  const share = new ShareDialog(lab);
  const exports = new ExportDialog(lab, laboratory);
  const help = new HelpDialog();
  const addresses = new Addresses(lab, laboratory, lessons);
  await addresses.start();
  data.suggestion = addresses.first;
  press("data-open", () => data.open());
  press("lessons-open", () => void lessons.open());
  press("compare", () => laboratory.compare());
  press("share-open", () => void share.open());
  press("export-open", () => exports.open());
  press("help-open", () => help.open());
  listenForUndo(store);
  listenForKeys(hand, changes);
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  couldNotStart(error instanceof Refused ? error.message : `The page could not start: ${error}`);
  throw error;
});
