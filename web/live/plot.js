// One curve chart over time. All of them share the cursor, the interval, and the marks of what happened.

import uPlot from "./vendor/uPlot.js";
import { themed } from "./colours.js";
import { el, setShown, setText } from "./dom.js";
import { clock, short } from "./units.js";

const HEIGHT = 150;
const AXIS = 62;
const FONT = "11px system-ui, sans-serif";
/** Seconds between two times at the axis. */
const INCREMENTS = [0.1, 0.5, 1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400, 604800];
const MARKS = { resize: "resize", rate: "resize", batch: "resize", decision: "resize", error: "bad", pause: "care", note: "pale", end: "ink" };

/** The x axis that the charts share: `range()`, `marks()` (events), `interval()`, and what a drag means. */
export function plot(place, { title, wide, height = HEIGHT, text, log, range, paint, axis }, shared) {
  const caption = el("figcaption", {}, el("strong", {}, title));
  const keys = el("span", { class: "keys" });
  caption.append(keys);
  const canvas = el("div", { class: "plot" });
  canvas.style.minHeight = `${height}px`;
  const figure = el("figure", { class: wide ? "wide" : "", "aria-label": title }, caption, canvas);
  place.append(figure);
  let drawn, shape, lines = [], shownAt = 0, seen = false, stale = true;

  new IntersectionObserver(([entry]) => {
    seen = entry.isIntersecting;
    if (seen && stale) redraw();
  }).observe(figure);
  new ResizeObserver(() => drawn?.setSize({ width: canvas.clientWidth, height })).observe(canvas);

  const grid = () => ({ stroke: () => themed("grid"), width: 1 });
  function options() {
    return {
      width: Math.max(100, canvas.clientWidth), height, legend: { show: false }, padding: [12, 16, 0, 0],
      cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, setScale: false }, sync: { key: "run", setSeries: false } },
      scales: {
        x: { time: false, range: () => shared.range() },
        y: log ? { distr: 3, range } : { range: range ?? ((_, low, high) => [0, high > 0 ? high * 1.08 : 1]) },
      },
      axes: [
        { stroke: () => themed("pale"), grid: grid(), ticks: { show: false }, font: FONT, size: 28, gap: 7, values: (_, times, axis, space, between) => times.map((time) => clock(time, between < 1)), incrs: INCREMENTS },
        { stroke: () => themed("pale"), grid: grid(), ticks: { show: false }, font: FONT, size: AXIS, gap: 4, space: 28, values: (_, values) => values.map((value) => (value === null ? null : short(text(value)))), ...axis, grid: { ...grid(), ...axis?.grid } },
      ],
      series: [{}, ...lines.map((line) => ({
        stroke: () => themed(line.colour), width: line.width ?? 1.5, points: { show: false },
        ...(line.fill && { fill: () => `${themed(line.colour)}24` }),
      }))],
      hooks: { drawClear: [(u) => bands(u, shared)], drawAxes: paint ? [paint] : [], draw: [(u) => marks(u, shared)], setCursor: [told], setSelect: [dragged] },
    };
  }

  function told(u) {
    const row = u.cursor.idx;
    const away = u.cursor.left < 0 || row === null || row === undefined;
    lines.forEach((line, index) => {
      const value = away ? line.now : u.data[index + 1][row];
      setText(line.shown, text(value ?? undefined));
    });
    shared.pointed(away ? undefined : u.posToVal(u.cursor.left, "x"));
  }

  function dragged(u) {
    if (u.select.width < 3) return;
    const from = u.posToVal(u.select.left, "x"), to = u.posToVal(u.select.left + u.select.width, "x");
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    shared.chosen(from, to);
  }

  function redraw() {
    const data = [shared.times(), ...lines.map((line) => gaps(line.values))];
    stale = false;
    const now = lines.map((line) => `${line.label} ${line.colour} ${line.width ?? ""}`).join("\n");
    if (!drawn || now !== shape) {
      drawn?.destroy();
      shape = now;
      drawn = new uPlot(options(), data, canvas);
    } else {
      drawn.setData(data);
    }
    shownAt = shared.range()[1];
  }

  return {
    /** Takes lines (`label`, `colour`, `values`, …), and draws them if they would differ, or if `anew`. */
    show(next, anew) {
      setShown(figure, next.length > 0);
      lines = next.map((line, index) => {
        const shown = lines[index]?.label === line.label && lines[index].colour === line.colour ? lines[index].shown : undefined;
        return { ...line, shown: shown ?? el("b"), now: line.values?.at(-1) };
      });
      const labels = lines.map((line) => `${line.label} ${line.colour}`).join("\n");
      if (keys.dataset.labels !== labels) {
        keys.dataset.labels = labels;
        keys.replaceChildren(...lines.map((line) => key(line)));
      }
      if (!drawn || drawn.cursor.left < 0) lines.forEach((line) => setText(line.shown, text(line.now)));
      stale = true;
      const [from, to] = shared.range();
      const pixel = (to - from) / Math.max(100, canvas.clientWidth);
      if (seen && (anew || Math.abs(to - shownAt) >= pixel || to - from < 90)) redraw();
    },
    /** Draws again, in other colours. */
    recolour() {
      drawn?.destroy();
      drawn = undefined;
      stale = true;
      if (seen) redraw();
    },
  };
}

function key(line) {
  const swatch = el("i", { class: "line" });
  swatch.style.setProperty("background", `var(--${line.colour})`);
  const parts = [swatch, el("span", {}, line.label), line.shown];
  return line.choose ? el("button", { class: "key", type: "button", title: line.label, onclick: line.choose }, ...parts) : el("span", { class: "key" }, ...parts);
}

function gaps(values) {
  return Array.from(values ?? [], (value) => (Number.isNaN(value) ? null : value));
}

function bands(u, shared) {
  const { ctx, bbox } = u;
  const band = (from, to, colour) => {
    const left = Math.max(bbox.left, u.valToPos(from, "x", true)), right = Math.min(bbox.left + bbox.width, u.valToPos(to, "x", true));
    if (right <= left) return;
    ctx.fillStyle = colour;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  };
  ctx.save();
  for (const event of shared.marks()) if (event.kind === "pause") band(event.time, event.until ?? shared.now(), `${themed("care")}26`);
  const held = shared.interval();
  if (held) band(...held, `${themed("accent")}2e`);
  ctx.restore();
}

function marks(u, shared) {
  const { ctx, bbox } = u, size = devicePixelRatio;
  const [from, to] = shared.range();
  ctx.save();
  for (const event of shared.marks()) {
    if (event.time < from || event.time > to) continue;
    const x = Math.round(u.valToPos(event.time, "x", true)) + 0.5;
    ctx.strokeStyle = ctx.fillStyle = themed(MARKS[event.kind]);
    ctx.lineWidth = size;
    ctx.setLineDash(event.kind === "end" ? [] : [3 * size, 3 * size]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();  // The flag.
    ctx.moveTo(x, bbox.top - 9 * size);
    ctx.lineTo(x + 9 * size, bbox.top - 5 * size);
    ctx.lineTo(x, bbox.top - 1 * size);
    ctx.fill();
  }
  ctx.restore();
}
