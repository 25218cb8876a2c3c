// @ts-check
// The live page of the service: it asks for statistics once a second and draws them.

const PERIOD = 1000; // milliseconds between two looks
const POINTS = 300; // of the curve
const SVG = "http://www.w3.org/2000/svg";

/** @type {Map<string, {time: number, rate: number}[]>} */
const curves = new Map();

/** @param {string} id @returns {any} */
function part(id) {
  return document.getElementById(id);
}

/** @param {string} path */
async function ask(path) {
  const token = part("token");
  /** @type {Record<string, string>} */
  const headers = token.value ? { Authorization: `Bearer ${token.value}` } : {};
  const answer = await fetch(path, { headers, cache: "no-store" });
  if (answer.status === 401 || answer.status === 403) {
    part("token-field").hidden = false;
    throw new Error("a token is needed");
  }
  const content = await answer.json();
  if (!answer.ok) {
    throw new Error(content.error);
  }
  return content;
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  const box = document.createElement("div");
  const [number, words] = [document.createElement("b"), document.createElement("span")];
  box.className = "fact";
  number.textContent = value;
  words.textContent = name;
  box.append(number, words);
  return box;
}

/** @param {number | null} share */
const percent = (share) => (share === null ? "-" : `${(100 * share).toFixed(1)} %`);
/** @param {number} number */
const count = (number) => number.toLocaleString("en");
/** @param {number | null} number */
const short = (number) => (number === null ? "-" : number.toPrecision(4));

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

/** @param {{time: number, rate: number}[]} curve */
function drawRate(curve) {
  const picture = part("rate");
  const top = Math.max(0.02, ...curve.map((point) => point.rate)) * 1.1;
  const x = (/** @type {number} */ at) => 50 + (at * 660) / (POINTS - 1);
  const y = (/** @type {number} */ rate) => 185 - (170 * rate) / top;
  const lines = [0, top / 2, top].flatMap((rate) => [
    shape("line", { class: "grid", x1: 50, x2: 710, y1: y(rate), y2: y(rate) }),
    shape("text", { x: 44, y: y(rate) + 4, "text-anchor": "end" }, percent(rate)),
  ]);
  const path = curve.map((point, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(point.rate).toFixed(1)}`).join(" ");
  picture.replaceChildren(...lines, shape("path", { class: "curve", d: path }));
}

/** @param {{classes: any[], weights: {constant: number, columns: (string | number)[], weights: number[]}[]}} found */
function drawWeights(found) {
  const pictures = found.weights.map((line, at) => {
    const height = 18 * line.columns.length + 24;
    const picture = shape("svg", { viewBox: `0 0 720 ${height}`, role: "img" });
    const title = found.weights.length > 1 ? `class ${found.classes[at]}` : `for ${found.classes.at(-1)}`;
    picture.append(shape("text", { x: 8, y: 16 }, `${title}; constant ${short(line.constant)}`));
    const largest = Math.max(1e-300, ...line.weights.map(Math.abs));
    line.columns.forEach((name, row) => {
      const weight = line.weights[row] ?? 0;
      const length = (200 * Math.abs(weight)) / largest;
      const top = 24 + 18 * row;
      picture.append(
        shape("text", { x: 200, y: top + 12, "text-anchor": "end" }, String(name).slice(0, 28)),
        shape("rect", {
          class: weight < 0 ? "bar negative" : "bar",
          x: weight < 0 ? 420 - length : 420,
          y: top + 2,
          width: length,
          height: 12,
        }),
        shape("text", { x: 690, y: top + 12, "text-anchor": "end" }, short(weight)),
      );
    });
    return picture;
  });
  part("weights").replaceChildren(...pictures);
}

/** @param {any} stats */
function drawFacts(stats) {
  part("facts").replaceChildren(
    fact("examples", count(stats.seen)),
    fact("wrong predictions", count(stats.mistakes)),
    fact("error rate, all", percent(stats.rate)),
    fact("error rate, last 1,000", percent(stats.rolling_rate)),
    fact("updates of the weights", count(stats.updates)),
    fact("longest row", short(stats.radius)),
    fact(stats.contradicted ? "no margin: equal rows differ in label" : "margin at most", short(stats.margin_at_most)),
    fact("alarms: the error rate changed", count(stats.drift.count)),
  );
  const last = stats.drift.alarms.at(-1);
  part("alarms").textContent = last
    ? `Last change: before example ${count(last.at)}, from ${percent(last.before)} to ${percent(last.after)}.`
    : "The error rate has not changed.";
}

/** @param {{example: number, label: any, prediction: any}[]} mistakes */
function drawMistakes(mistakes) {
  const rows = mistakes.slice(-15).reverse().map((one) => {
    const row = document.createElement("tr");
    for (const value of [count(one.example), one.label, one.prediction]) {
      const cell = document.createElement("td");
      cell.textContent = String(value);
      row.append(cell);
    }
    return row;
  });
  part("mistakes").replaceChildren(...rows);
}

/** @param {string[]} names */
function chosen(names) {
  const select = part("model");
  const before = select.value;
  if (names.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
    select.replaceChildren(...names.map((name) => new Option(name, name, false, name === before)));
  }
  return select.value;
}

async function look() {
  const { models } = await ask("/v1/models");
  const name = chosen(models.map((/** @type {{name: string}} */ model) => model.name));
  part("none").hidden = models.length > 0;
  if (!name) {
    return "no model";
  }
  const path = `/v1/models/${encodeURIComponent(name)}`;
  const [stats, trace, weights] = await Promise.all([ask(`${path}/stats`), ask(`${path}/trace`), ask(`${path}/weights`)]);
  const curve = curves.get(name) ?? [];
  curve.push({ time: Date.now(), rate: stats.rolling_rate ?? 0 });
  curves.set(name, curve.slice(-POINTS));
  drawFacts(stats);
  drawRate(curve.slice(-POINTS));
  drawWeights(weights);
  drawMistakes(trace.mistakes);
  return models.find((/** @type {any} */ model) => model.name === name).problem || "live";
}

async function live() {
  const state = part("state");
  try {
    const said = await look();
    state.textContent = said;
    state.className = said === "live" || said === "no model" ? "" : "problem";
  } catch (error) {
    state.textContent = error instanceof Error ? error.message : String(error);
    state.className = "problem";
  }
  setTimeout(live, PERIOD);
}

part("address").textContent = `${location.origin}/`;
live();
