// One stage in the graph: a box that is filled by what its time is spent on, or coloured by a metric.

import { step, STEPS } from "./colours.js";
import { setAttribute, setText, svg } from "./dom.js";
import { BOX } from "./layout.js";
import { count, digits, duration, percent, rate } from "./units.js";

const MOST_DOTS = 12;
const LEFT = 13, RIGHT = BOX.width - 8;
const NAME = "600 13px system-ui, sans-serif", LARGE_NAME = "600 25px system-ui, sans-serif";
const measure = document.createElement("canvas").getContext("2d");

// A path is shortened from its front: the last part is what tells stages apart.
function shortened(name, room, font) {
  measure.font = font;
  if (measure.measureText(name).width <= room) return name;
  const last = name.slice(name.lastIndexOf("/") + 1);
  let text = last === name ? name : `…/${last}`;
  while (text.length > 2 && measure.measureText(text).width > room) text = `${text.slice(0, -2)}…`;
  return text;
}

/** Makes the box of a stage. `told(event name, event)` hears what the user does with it. */
export function box(stage, place, told) {
  const shares = ["busy", "room", "input"].map((kind) => svg("rect", { class: kind, height: BOX.height, fill: kind === "room" ? "url(#room)" : undefined }));
  const name = svg("text", { class: "name", x: LEFT, y: 21 });
  const numbers = svg("text", { class: "numbers", x: LEFT, y: 39 });
  const kind = svg("text", { class: "small", x: LEFT, y: 56 });
  const work = svg("text", { class: "small end", x: RIGHT, y: 56 });
  const dots = svg("g", { class: "dots" });
  const errors = svg("text", { class: "errors end", x: RIGHT, y: 39 });
  const chip = svg("rect", { class: "chip", width: 5, height: BOX.height });
  const frame = svg("rect", { class: "outline", width: BOX.width, height: BOX.height, rx: 8 });
  const title = svg("title");
  const node = svg("g", { class: "stage", tabindex: 0, role: "button", "aria-pressed": "false",
    transform: `translate(${place.x - BOX.width / 2} ${place.y - BOX.height / 2})` }, title);
  for (const behind of stage.farm ? [8, 4] : []) {
    node.append(svg("rect", { class: "stacked", x: behind, y: behind, width: BOX.width, height: BOX.height, rx: 8 }));
  }
  const metric = svg("rect", { class: "metric", width: BOX.width, height: BOX.height });
  node.append(svg("rect", { class: "base", width: BOX.width, height: BOX.height, rx: 8 }),
    svg("g", { "clip-path": "url(#box)" }, ...shares, metric, chip), frame,
    svg("g", { class: "words" }, name, numbers, errors, kind, work, dots),
    svg("text", { class: "large", x: LEFT, y: 42 }, shortened(stage.name.slice(stage.name.lastIndexOf("/") + 1), RIGHT - LEFT, LARGE_NAME)));
  for (const event of ["click", "keydown", "focus"]) node.addEventListener(event, (happened) => told(event, happened));
  const shown = shortened(stage.name, RIGHT - LEFT, NAME);
  const cut = shown.lastIndexOf("/") + 1;
  name.append(svg("tspan", { class: "path" }, shown.slice(0, cut)), shown.slice(cut));

  return {
    node,
    /** Shows figures; `coloured` is undefined for the shares, else the part (0 to 1) of the metric, or null if it is unknown. */
    show(figures, { coloured, chosen, limiting, colour }) {
      const { atWork, busy, replicas } = figures;
      let at = 0;
      const parts = coloured === undefined ? [atWork, figures.wait_out, figures.wait_in] : [];
      shares.forEach((rect, index) => {
        const width = Math.min(BOX.width - at, Math.round((parts[index] ?? 0) * BOX.width));
        setAttribute(rect, "x", at);
        setAttribute(rect, "width", Math.max(0, width));
        at += Math.max(0, width);
      });
      const stepped = coloured === undefined || coloured === null ? undefined : step(coloured);
      setAttribute(metric, "class", stepped === undefined ? "metric" : `metric step-${stepped}`);
      setAttribute(node, "class", ["stage", limiting && "limiting", chosen && "chosen", stepped >= STEPS - 3 && "strong"].filter(Boolean).join(" "));
      setAttribute(node, "aria-pressed", String(chosen));
      setAttribute(chip, "fill", colour ?? "none");
      setText(numbers, figures.service === undefined ? rate(figures.rate) : `${rate(figures.rate)} · ${duration(figures.service)}`);
      setText(errors, figures.errors ? `▲\u202f${count(figures.errors)}` : "");
      setText(work, busy === undefined ? "" : stage.farm ? `${digits(busy)} of ${replicas}` : percent(atWork));
      setText(kind, stage.farm && replicas <= MOST_DOTS ? "" : stage.farm ? `farm × ${replicas}` : stage.kind);
      showDots(dots, stage.farm && replicas <= MOST_DOTS ? replicas : 0, busy ?? 0);
    },
    /** Says in words what the box shows. */
    describe(text) {
      setText(title, text);
      setAttribute(node, "aria-label", text);
    },
  };
}

// A dot for each replica; as many are filled as are at work on average.
function showDots(dots, number, busy) {
  while (dots.childElementCount > number) dots.lastChild.remove();
  while (dots.childElementCount < number) {
    const x = LEFT + 4 + dots.childElementCount * 9;
    dots.append(svg("g", {}, svg("circle", { class: "dot", cx: x, cy: 52, r: 3.5 }), svg("circle", { class: "working", cx: x, cy: 52 })));
  }
  [...dots.children].forEach((dot, index) => {
    setAttribute(dot.lastChild, "r", (Math.round(10 * Math.min(1, Math.max(0, busy - index))) * 0.35).toFixed(2));
  });
}

/** A stage and its figures as a sentence. */
export function sentence(stage, figures, limit) {
  const parts = [`${stage.name}, ${stage.kind}`, `${rate(figures.rate)}`];
  if (figures.busy !== undefined) parts.push(`${digits(figures.busy)} of ${figures.replicas} at work`);
  if (figures.wait_out > 0.005) parts.push(`waits for room ${percent(figures.wait_out)}`);
  if (figures.wait_in > 0.005) parts.push(`waits for input ${percent(figures.wait_in)}`);
  if (figures.full !== undefined) parts.push(`its pipe is ${percent(figures.full)} full`);
  if (figures.errors) parts.push(`${count(figures.errors)} errors`);
  if (limit) parts.push(`limits the run: ${limit.advice}`);
  return parts.join(", ");
}
