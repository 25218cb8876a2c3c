/** The start: catalogue, board, and who hears of what. */

import { Addresses } from "./addresses.js";
import { ask, Refused } from "./base/api.js";
import { Changes } from "./board/changes.js";
import { ClassesDialog } from "./dialogs/classes.js";
import { DataDialog } from "./dialogs/data.js";
import { part } from "./base/dom.js";
import { ExportDialog } from "./dialogs/export.js";
import { Hand } from "./board/selection.js";
import { HelpDialog } from "./dialogs/help.js";
import { icon } from "./base/icons.js";
import { listenForKeys } from "./plane/keys.js";
import { couldNotStart, Laboratory } from "./lab.js";
import { LessonPanel } from "./lessons/lessons.js";
import { ShareDialog } from "./dialogs/share.js";
import { Status } from "./base/status.js";
import { Store } from "./board/store.js";
import { startTheme } from "./base/theme.js";
import { Tools } from "./panels/tools.js";

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
