// The graph: stages as boxes, edges as pipes, frames around what is fused and around ranks, and the badge of the limit.

import { box, sentence } from "./box.js";
import { el, setAttribute, setText, svg } from "./dom.js";
import { flows } from "./flows.js";
import { BOX, layout, shapeOf } from "./layout.js";
import { METRICS, rangeOf } from "./metrics.js";
import { pipe } from "./pipe.js";
import { withPorts } from "./ports.js";
import { percent } from "./units.js";
import { viewport } from "./viewport.js";

const DESCRIBE_MS = 1500;
/** What is beside a graph that does not need the whole width; at less than this scale it does. */
const BESIDE = 460, LEGIBLE = 0.85;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const phone = matchMedia("(max-width: 700px)");

/**
 * Draws graphs in a place of the page. Of what it tells, `choose(index)` hears which stage was chosen, `across(whether)`
 * whether it needs the whole width, and `redrawn()` that its figures are to be shown again, `look(from, to)` which edge was
 * clicked.
 */
export function graphView(place, buttons, { choose, across, redrawn, look }) {
  const drawing = svg("svg", { class: "graph", role: "group", "aria-label": "Stages of the stream. Tab goes through them, arrows along their edges." });
  place.append(drawing);
  let graph, arranged, boxes = [], pipes = [], badge, limited, badgeScale = 1, shape, described = -Infinity, describing;
  const view = viewport(drawing, (scale, fitted) => {
    buttons.fit.disabled = fitted;
    badgeScale = Math.min(2.4, Math.max(1, 0.75 / scale));
    if (badge && limited !== undefined) placeBadge();
  });
  buttons.larger.addEventListener("click", () => view.zoom(1.4));
  buttons.smaller.addEventListener("click", () => view.zoom(1 / 1.4));
  buttons.fit.addEventListener("click", () => view.fit());
  new ResizeObserver(size).observe(place);
  phone.addEventListener("change", () => {
    if (!graph) return;
    draw();
    redrawn();
  });

  function size() {
    if (!arranged) return;
    across((document.documentElement.clientWidth - BESIDE) / arranged.width < LEGIBLE);
    const width = place.clientWidth;
    if (!width) return;
    const most = Math.max(260, Math.min(680, innerHeight * (phone.matches ? 0.8 : 0.62)));
    const scale = Math.min(1.3, width / arranged.width);
    const height = Math.round(Math.min(most, Math.max(arranged.height * scale, graph.stages.length > 100 ? most : 0)));
    drawing.style.height = `${height}px`;
    view.resize(arranged, { width, height });
  }

  function draw() {
    const down = phone.matches;
    arranged = layout(graph, down);
    const edges = withPorts(arranged, down);
    boxes = graph.stages.map((stage, index) => box(stage, arranged.stages[index], (name, event) => told(index, name, event)));
    pipes = edges.map((edge) => ({ ...edge, drawn: pipe(edge, graph.stages[edge.to].capacity > 0, down) }));
    if (graph.control) for (const one of pipes) one.drawn.onClick(() => look(one.from, one.to));
    badge = svg("g", { class: "badge", visibility: "hidden" }, svg("title"), svg("path"), svg("text", { y: -14, "text-anchor": "middle" }));
    drawing.replaceChildren(
      svg("defs", {}, hatch(), svg("clipPath", { id: "box" }, svg("rect", { width: BOX.width, height: BOX.height, rx: 8 }))),
      svg("g", { class: "frames" }, ...arranged.frames.map(frame)),
      svg("g", { class: "pipes" }, ...pipes.map((one) => one.drawn.node)),
      svg("g", { class: "stages" }, ...boxes.map((one) => one.node)), badge);
    described = -Infinity;
    limited = undefined;
    size();
  }

  function told(index, name, event) {
    if (name === "focus") return event.target.matches(":focus-visible") && view.reveal(arranged.stages[index]);
    if (name === "click" || event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(index);
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      const next = neighbour(index, ARROWS[event.key]);
      if (next !== undefined) boxes[next].node.focus();
    }
  }

  // Along the layout: the nearest stage that an edge leads to; across it: the nearest one beside.
  function neighbour(index, [dx, dy]) {
    const here = arranged.stages[index];
    const ahead = (to) => (arranged.stages[to].x - here.x) * dx + (arranged.stages[to].y - here.y) * dy;
    const aside = (to) => Math.abs((arranged.stages[to].x - here.x) * dy) + Math.abs((arranged.stages[to].y - here.y) * dx);
    const linked = pipes.filter((one) => one.from === index || one.to === index).map((one) => (one.from === index ? one.to : one.from));
    const across = phone.matches ? dx !== 0 : dy !== 0;
    const others = across ? graph.stages.map((_, to) => to).filter((to) => aside(to) < BOX.width / 2) : linked;
    const nearest = others.filter((to) => ahead(to) > 1).sort((a, b) => (across ? ahead(a) - ahead(b) : aside(a) - aside(b)));
    return nearest[0];
  }

  return {
    /** Shows a graph; one of the same shape keeps its layout. */
    set(next) {
      const same = graph && shapeOf(next) === shape && next.stages.every((stage, index) =>
        stage.name === graph.stages[index].name && stage.kind === graph.stages[index].kind && stage.farm === graph.stages[index].farm);
      graph = next;
      if (same) return;
      shape = shapeOf(next);
      draw();
    },
    /** Shows the figures of an interval. Returns the range of the metric. */
    show(figures, metricName, chosen, colourOf) {
      const metric = METRICS.get(metricName);
      const range = metric.of && rangeOf(metric, figures.stages);
      const limiting = limitingStage(graph, figures.limit);
      const describe = performance.now() - described > DESCRIBE_MS;
      boxes.forEach((one, index) => {
        const value = metric.of?.(figures.stages[index]);
        const coloured = metric.of && (value === undefined ? null : metric.part(value, range));
        one.show(figures.stages[index], { coloured, chosen: index === chosen, limiting: index === limiting, colour: colourOf(index) });
        if (describe) one.describe(sentence(graph.stages[index], figures.stages[index], index === limiting && figures.limit));
      });
      const rates = flows(pipes, figures.stages);
      const most = Math.max(...rates, 1e-9);
      pipes.forEach((one, index) => {
        one.drawn.show(rates[index] / most, figures.stages[one.to].full);
        if (describe) one.drawn.describe(graph.stages[one.from].name, graph.stages[one.to].name, rates[index], figures.stages[one.to]);
      });
      if (describe) described = performance.now();
      clearTimeout(describing);
      if (!describe) describing = setTimeout(redrawn, DESCRIBE_MS);
      showBadge(limiting, figures.limit);
      return range;
    },
  };

  function placeBadge() {
    const { x, y } = arranged.stages[limited];
    setAttribute(badge, "transform", `translate(${x} ${y - BOX.height / 2 + 2}) scale(${badgeScale.toFixed(2)})`);
  }

  function showBadge(index, limit) {
    limited = index;
    setAttribute(badge, "visibility", index === undefined ? "hidden" : "visible");
    if (index === undefined) return;
    const text = `limit ${percent(limit.utilisation)}`, half = text.length * 3.6 + 10;
    placeBadge();
    setAttribute(badge.children[1], "d", `M${-half} -28h${2 * half}a4 4 0 0 1 4 4v12a4 4 0 0 1 -4 4h${-half + 6}l-6 7l-6 -7h${-half + 6}a4 4 0 0 1 -4 -4v-12a4 4 0 0 1 4 -4z`);
    setText(badge.children[2], text);
    setText(badge.children[0], `${limit.stage}: ${limit.advice}`);
  }
}

/** The stage that a verdict names, if it says that something limits. */
export function limitingStage(graph, limit) {
  if (!limit || ["schedule", "unknown"].includes(limit.reason)) return undefined;
  const index = graph.stages.findIndex((stage) => stage.name === limit.stage);
  return index < 0 ? undefined : index;
}

// Waiting for room is told from being busy by more than its colour.
function hatch() {
  return svg("pattern", { id: "room", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { class: "ground", width: 6, height: 6 }), svg("rect", { class: "stripe", width: 1.2, height: 6 }));
}

function frame({ kind, label, x, y, width, height }) {
  const node = svg("g", { class: `frame ${kind}` }, svg("rect", { x, y, width, height, rx: kind === "ranks" ? 14 : 11 }));
  node.append(svg("text", { x: x + 10, y: kind === "ranks" ? y + height - 6 : y - 4 }, label));
  return node;
}

/** The key to the colours of the boxes and the pipes. */
export function legend(metricName, range) {
  const metric = METRICS.get(metricName);
  const key = (kind, words) => el("span", { class: "key" }, el("i", { class: `swatch ${kind}` }), words);
  const water = [key("water", "waiting in a pipe"), key("wide", "wider: more items a second")];
  if (!metric.of) return [key("busy", "busy"), key("room", "waiting for room"), key("input", "waiting for input"), ...water];
  const steps = Array.from({ length: 7 }, (_, index) => el("i", { class: `swatch step-${index}` }));
  return [el("span", { class: "key scale" }, metric.text(range[0]), ...steps, metric.text(range[1])), ...water];
}
