/** The start of the page: it creates all parts, connects them and opens the first board. */

import { Addresses } from "./addresses.js";
import { ask, RefusedError } from "./base/api.js";
import { Changes } from "./board/changes.js";
import { ClassesDialog } from "./dialogs/classes.js";
import { DataDialog } from "./dialogs/data.js";
import { part } from "./base/dom.js";
import { ExportDialog } from "./dialogs/export.js";
import { Selection } from "./board/selection.js";
import { HelpDialog } from "./dialogs/help.js";
import { icon } from "./base/icons.js";
import { listenForKeys } from "./plane/keys.js";
import { LabPage, showStartError } from "./lab.js";
import { LessonPanel } from "./lessons/lesson_panel.js";
import { ShareDialog } from "./dialogs/share.js";
import { Status } from "./base/status.js";
import { Store } from "./board/store.js";
import { startTheme } from "./base/theme.js";
import { ToolBar } from "./panels/tool_bar.js";

/** Enables a button of the top bar. @param {string} id @param {() => void} act */
function enable(id, act) {
  part(id).addEventListener("click", act);
  part(id).removeAttribute("disabled");
}

/** Makes the undo and redo buttons and keys work. @param {Store} store */
function listenForUndo(store) {
  enable("undo", () => store.undo());
  enable("redo", () => store.redo());
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
  const status = new Status();
  void status.watch();
  const catalogue = await ask("/api/catalogue");
  const [store, selection] = [new Store(), new Selection()];
  const changes = new Changes(store, catalogue.limits, status.say);
  const lab = { store, selection, changes, status, catalogue };
  const classes = new ClassesDialog(store, catalogue.limits.classes);
  const toolBar = new ToolBar(selection, changes, catalogue, status, () => classes.open());
  part("tools-place").append(toolBar.element);
  const page = new LabPage(lab, (board) => toolBar.show(board, lessons.asksLine));
  const lessons = new LessonPanel(lab, page);
  const data = new DataDialog(lab);
  const share = new ShareDialog(lab);
  const exports = new ExportDialog(lab, page);
  const help = new HelpDialog();
  const addresses = new Addresses(lab, page, lessons);
  await addresses.start();
  data.suggestedPanes = addresses.firstPanes;
  enable("data-open", () => data.open());
  enable("lessons-open", () => void lessons.toggle());
  enable("compare", () => page.toggleCompare());
  enable("share-open", () => void share.open());
  enable("export-open", () => exports.open());
  enable("help-open", () => help.open());
  listenForUndo(store);
  listenForKeys(selection, changes);
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  showStartError(error instanceof RefusedError ? error.message : `The page could not start: ${error}`);
  throw error;
});
