// Executions as bars: a row for each stage, time from left to right. Bars that overlap are in lanes of their row; what is
// narrower than a pixel is a shade, as strong as the part of that pixel's time that was worked.

import { themed } from "./colours.js";
import { count, digits, duration, short } from "./units.js";

const LANE = 12, LANE_GAP = 2, ROW_GAP = 8, AXIS = 22, TITLE = 15, GUTTER = 150;
const NARROW = 620;
const MOST_LANES = 24;
const WIDE_ENOUGH = 2;  // Pixels of a bar that is drawn as such.
const NEAR = 3;  // Pixels beside a bar where it is still meant.
const FONT = "12px system-ui, sans-serif";

/** The executions of a trace in the Trace Event Format. Times are in µs. */
export function executionsOf(trace) {
  const threads = new Map(), bars = [];
  let length = 0;
  for (const event of trace.traceEvents) {
    if (event.ph === "M" && event.name === "thread_name") threads.set(event.tid, event.args.name);
    if (event.ph !== "X") continue;
    const { stage, stages = 1, items, running = false, began_before_us: before = 0 } = event.args;
    bars.push({ name: event.name, thread: event.tid, start: event.ts, end: event.ts + event.dur, stage, stages, items, running, before });
    length = Math.max(length, event.ts + event.dur);
  }
  bars.sort((one, other) => one.start - other.start);
  for (const bar of bars) bar.thread = threads.get(bar.thread) ?? `thread ${bar.thread}`;
  return { bars, length, threads: threads.size, dropped: trace.otherData.dropped_events ?? 0, scope: trace.otherData.scope };
}

/** Rows of the stages that have bars, and of all others if `all`; each has lanes of bars that do not overlap. */
export function rowsOf(bars, stages, all) {
  const rows = stages.map((stage, index) => ({ name: stage.name, index, lanes: [] }));
  for (const bar of bars) {
    for (let more = 0; more < bar.stages && bar.stage + more < rows.length; more++) {
      const { lanes } = rows[bar.stage + more];
      let lane = lanes.find((one) => one.at(-1).end <= bar.start);
      if (!lane && lanes.length < MOST_LANES) lanes.push(lane = []);
      (lane ?? lanes.at(-1)).push(bar);
    }
  }
  return rows.filter((row) => all || row.lanes.length);
}

/** The first of the bars of a lane that ends after a time. */
function firstAfter(lane, time) {
  let low = 0, high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane[middle].end > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What there is to say of a bar: pairs of words. */
export function factsOf(bar) {
  const facts = [["Thread", bar.thread], ["Start", `${digitsOf(bar.start)}\u202fms`]];
  facts.push(bar.running ? ["Running for", duration(1e3 * (bar.end - bar.start))] : ["Length", duration(1e3 * (bar.end - bar.start + bar.before))]);
  if (bar.before) facts.push(["of that before", duration(1e3 * bar.before)]);
  if (bar.items !== undefined) facts.push(["Items", count(bar.items)]);
  return facts;
}

const digitsOf = (us) => short((us / 1e3).toFixed(3));

function stepFor(span, room) {
  const least = span / Math.max(1, Math.floor(room / 80));
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= least);
}

/** A drawing in `canvas`. `pointed(bar, x, y)` tells which bar the mouse is at, `zoomed()` that there is another part of time. */
export function barsView(canvas, { pointed, zoomed }) {
  let rows = [], length = 0, range = [0, 0], at, dragged, width = 0, gutter = 0, title = 0;

  const x = (time) => gutter + ((time - range[0]) / (range[1] - range[0])) * (width - gutter);
  const time = (pixel) => range[0] + ((pixel - gutter) / (width - gutter)) * (range[1] - range[0]);
  const heightOf = (row) => title + Math.max(1, row.lanes.length) * (LANE + LANE_GAP) + ROW_GAP;

  function draw() {
    width = canvas.clientWidth;
    if (!width || !(range[1] > range[0])) return;
    gutter = width < NARROW ? 0 : GUTTER;
    title = gutter ? 0 : TITLE;
    const height = AXIS + rows.reduce((sum, row) => sum + heightOf(row), 0);
    const ratio = devicePixelRatio;
    canvas.style.setProperty("height", `${height}px`);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    ctx.font = FONT;
    ctx.textBaseline = "middle";
    drawAxis(ctx, height);
    let top = AXIS;
    for (const row of rows) {
      row.top = top;
      drawRow(ctx, row);
      top += heightOf(row);
    }
    if (dragged) {
      ctx.globalAlpha = 0.2;
      ctx.fillStyle = themed("accent");
      ctx.fillRect(Math.min(...dragged), 0, Math.abs(dragged[1] - dragged[0]), height);
      ctx.globalAlpha = 1;
    }
  }

  function drawAxis(ctx, height) {
    const step = stepFor(range[1] - range[0], width - gutter);
    const decimals = Math.max(0, -Math.floor(Math.log10(step / 1e3) + 1e-9));
    ctx.textAlign = "center";
    for (let n = Math.ceil(range[0] / step); n * step <= range[1]; n++) {
      const place = x(n * step);
      ctx.fillStyle = themed("grid");
      ctx.fillRect(Math.round(place), AXIS - 4, 1, height);
      ctx.fillStyle = themed("pale");
      const text = `${((n * step) / 1e3).toFixed(decimals)}\u202fms`, half = ctx.measureText(text).width / 2;
      if (place - half >= gutter - half / 2 && place + half <= width) ctx.fillText(text, Math.max(half, place), 8);
    }
    ctx.textAlign = "left";
  }

  function drawRow(ctx, row) {
    ctx.fillStyle = themed("rule");
    ctx.fillRect(0, row.top - ROW_GAP / 2, width, 1);
    ctx.fillStyle = themed("ink");
    ctx.fillText(fitted(ctx, row.name, (gutter || width) - 10), 0, row.top + (gutter ? LANE / 2 : TITLE / 2));
    row.lanes.forEach((lane, number) => drawLane(ctx, lane, row.top + title + number * (LANE + LANE_GAP)));
  }

  function drawLane(ctx, lane, top) {
    const part = new Float32Array(width + 1);
    const plain = themed("accent"), green = themed("good");
    for (let n = firstAfter(lane, range[0]); n < lane.length && lane[n].start < range[1]; n++) {
      const bar = lane[n];
      const left = Math.max(gutter, x(bar.start)), right = Math.min(width, x(bar.end));
      if (bar.running || bar === at || right - left >= WIDE_ENOUGH) {
        ctx.fillStyle = bar.running ? green : plain;
        // Half a pixel less, so that two that follow each other are two.
        ctx.fillRect(left, top, Math.max(1, right - left - 0.5), LANE);
        if (bar === at) {
          ctx.strokeStyle = themed("ink");
          ctx.lineWidth = 2;
          ctx.strokeRect(left - 1, top - 1, Math.max(3, right - left + 1.5), LANE + 2);
        }
        continue;
      }
      const pixel = Math.floor(left);
      part[pixel] += Math.min(right, pixel + 1) - left;
      if (right > pixel + 1) part[pixel + 1] += right - pixel - 1;
    }
    ctx.fillStyle = plain;
    for (let pixel = gutter; pixel < width; pixel++) {
      if (!part[pixel]) continue;
      ctx.globalAlpha = Math.min(1, 0.25 + 0.75 * part[pixel]);
      ctx.fillRect(pixel, top, 1, LANE);
    }
    ctx.globalAlpha = 1;
  }

  function barAt(px, py) {
    const row = rows.find((one) => py >= one.top && py < one.top + heightOf(one) - ROW_GAP / 2);
    const lane = row?.lanes[Math.floor((py - row.top - title) / (LANE + LANE_GAP))];
    if (!lane || px < gutter) return undefined;
    const near = (NEAR * (range[1] - range[0])) / (width - gutter), moment = time(px);
    const next = firstAfter(lane, moment);
    const away = (bar) => (bar ? Math.max(0, bar.start - moment, moment - bar.end) : Infinity);
    const best = away(lane[next - 1]) < away(lane[next]) ? lane[next - 1] : lane[next];
    return away(best) <= near ? best : undefined;
  }

  function point(bar, px, py) {
    if (bar !== at) {
      at = bar;
      draw();
    }
    pointed(bar, px, py);
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.offsetX < gutter) return;
    dragged = [event.offsetX, event.offsetX];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return point(barAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    dragged[1] = Math.max(gutter, Math.min(width, event.offsetX));
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!dragged) return;
    const [from, to] = dragged.map(time).sort((one, other) => one - other), far = Math.abs(dragged[1] - dragged[0]) > 3;
    dragged = undefined;
    if (far) show(from, to);
    else point(barAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
    draw();
  });
  canvas.addEventListener("pointercancel", () => {
    dragged = undefined;
    draw();
  });
  canvas.addEventListener("pointerleave", () => dragged || point(undefined));
  canvas.addEventListener("dblclick", () => show(0, length));
  new ResizeObserver(() => canvas.clientWidth !== width && draw()).observe(canvas);

  function show(from, to) {
    const least = 0.1;  // µs
    const span = Math.min(length, Math.max(least, to - from));
    const begin = Math.max(0, Math.min(from, length - span));
    range = [begin, begin + span];
    draw();
    zoomed(range, length);
  }

  return {
    /** Takes rows, and shows the time from `from` to `to` of what has this length. */
    set(next, whole, from, to) {
      rows = next;
      length = whole;
      at = undefined;
      pointed(undefined);
      show(from, to);
    },
    /** All of it, or a part that is so much longer, or further on by a part of itself. */
    all: () => show(0, length),
    scale(factor) {
      const middle = (range[0] + range[1]) / 2, half = ((range[1] - range[0]) / 2) * factor;
      show(middle - half, middle + half);
    },
    move: (parts) => show(range[0] + parts * (range[1] - range[0]), range[1] + parts * (range[1] - range[0])),
    redraw: draw,
  };
}

function fitted(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && ctx.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

/** How long a part of the time is, for people. */
export const spanText = ([from, to]) => `${digitsOf(from)} – ${digitsOf(to)}\u202fms (${digits((to - from) / 1e3)}\u202fms)`;
