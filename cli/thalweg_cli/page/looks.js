// What is shown of runs, and how interfaces, compositions and sets look.

const metrics = new Map(data.metrics.map((metric) => [metric.name, metric]));
const settings = data.rows.filter((row) => row.purpose !== "search");  // Points of a search have a separate part.
const MEDIANS = "medians";
const again = [];  // What else is written again when other values are to be shown.
const hidden = new Set();
let values = data.values;

/** What stands for some runs, and from where to where its bar goes. */
function shownOf([median, low, high, , mean, deviation]) {
  return values === MEDIANS ? { at: median, low, high } : { at: mean, low: mean - deviation, high: mean + deviation };
}

function extentText(spread) {
  const { at, low, high } = shownOf(spread);
  return values === MEDIANS ? `${plain(low)} to ${plain(high)}` : `± ${plain(high - at)}`;
}

function spreadText(spread) {
  const count = spread[3];
  return `${plain(shownOf(spread).at)}${count > 1 ? ` (${extentText(spread)} in ${count} runs)` : ""}`;
}

function errors(shown, color) {
  return { type: "data", symmetric: false, thickness: 1, width: 3, color,
    array: shown.map((one) => one.high - one.at), arrayminus: shown.map((one) => one.at - one.low) };
}

/** Shows other values, in all plots and in the table. */
function show(wanted) {
  values = wanted;
  for (const one of again) one();
  redraw();
}

const MARK = 9, GROWN = 4;  // How large marks are, and by how much those of sets long ago are larger.

function markOf(row) {
  const { color, symbol } = data.looks[row.look];
  const { suffix, grown } = data.marks[row.set];
  return { symbol: symbol + suffix, size: MARK + GROWN * grown, color, line: { color, width: 1.5 } };
}

function lineOf(row) {
  const dash = row.sequential ? "dot" : data.dashes[row.composition] ?? "solid";
  return { color: data.looks[row.look].color, dash, width: row.sequential ? 1.5 : 2 };
}

function nameOf(row) {
  return data.sets.length > 1 ? `${row.way}, set ${row.set}` : row.way;
}

const SHAPES = {
  circle: "M6 1a5 5 0 1 0 .01 0z", square: "M1 1h10v10h-10z", diamond: "M6 0l6 6-6 6-6-6z",
  "triangle-up": "M6 1l6 10h-12z", "triangle-down": "M6 11l6-10h-12z", "triangle-left": "M1 6l10-6v12z",
  "triangle-right": "M11 6l-10-6v12z", cross: "M4 0h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
  x: "M3 0l3 3 3-3 3 3-3 3 3 3-3 3-3-3-3 3-3-3 3-3-3-3z", star: "M6 0l2 4 4 .5-3 3 .8 4.5-3.8-2.2-3.800 2.200.8-4.500-3-3 4-.5z",
  pentagon: "M6 0l6 4.600-2.300 7.400h-7.400l-2.300-7.400z", hexagon: "M6 0l5.200 3v6l-5.200 3-5.200-3v-6z",
  octagon: "M4 0h4l4 4v4l-4 4h-4l-4-4v-4z",
};
const DASHES = { solid: "", dash: "7 5", dot: "2 4", dashdot: "7 4 2 4", longdash: "12 5", longdashdot: "12 4 2 4" };

/** A small drawing of shapes, each a tag with its attributes. */
function drawing(width, ...shapes) {
  const svg = (tag, attributes, ...children) => {
    const node = document.createElementNS(document.getElementById("namespace").namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const inside = shapes.map(([tag, attributes]) => svg(tag, attributes));
  return svg("svg", { width, height: 12, viewBox: `0 0 ${width} 12`, "aria-hidden": "true" }, ...inside);
}

function markShape(look) {
  return drawing(12, ["path", { d: SHAPES[look.symbol] ?? SHAPES.circle, fill: look.color }]);
}

function setShape({ suffix, grown }) {
  const circle = ["circle", { cx: 6, cy: 6, r: 4.5, stroke: "currentColor", fill: suffix ? "none" : "currentColor" }];
  const dot = suffix.endsWith("dot") ? [["circle", { cx: 6, cy: 6, r: 1.5, fill: "currentColor" }]] : [];
  const node = drawing(12, circle, ...dot);
  for (const side of ["width", "height"]) node.setAttribute(side, 12 * (MARK + GROWN * grown) / MARK);
  return node;
}

function dashShape(dash) {
  return drawing(36, ["path", { d: "M0 6h36", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": DASHES[dash] }]);
}

/** The name under which a set is hidden. */
function setKey(id) {
  return `set ${id}`;
}

function isShown(row) {
  return !hidden.has(row.look) && !hidden.has(setKey(row.set));
}

/** A legend whose entries show and hide what has a look of its own, or a set, in all plots. */
function legend(section) {
  const node = part(section, "legend");
  const entry = (key, ...content) => node.append(make("button", {
    "aria-pressed": "true", title: "show or hide", "data-key": key,
    onclick: () => {
      if (!hidden.delete(key)) hidden.add(key);
      for (const one of document.querySelectorAll(".legend button"))
        one.setAttribute("aria-pressed", String(!hidden.has(one.dataset.key)));
      redraw();
    },
  }, ...content));
  const looks = new Set(data.rows.map((row) => row.look));
  for (const [name, look] of Object.entries(data.looks)) if (looks.has(name)) entry(name, markShape(look), name);
  const shown = Object.entries(data.dashes).filter(([name]) => name);
  if (shown.length > 1) for (const [name, dash] of shown) node.append(make("span", { class: "key" }, dashShape(dash), name));
  if (data.sets.length > 1)
    for (const one of data.sets) entry(setKey(one.id), setShape(data.marks[one.id]), `set ${one.name}`);
}
