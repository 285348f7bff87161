// The curves of the last ten minutes, one above the other, with one cursor.

import { SERIES } from "./colours.js";
import { setText } from "./dom.js";
import { decades, heat } from "./heat.js";
import { of } from "./history.js";
import { plot } from "./plot.js";
import { bytes, clock, digits, duration, percent, rate } from "./units.js";

const LEAST_S = 60;
/** Between two drawings of the curves there are at least so many milliseconds, and so many for each second that they show. */
const PACE_MS = 900, PACE_MS_PER_S = 4;

/** Draws the curves of a history. `choose(stage)` hears a click on a stage, `hold(from, to)` a dragged interval. */
export function curves(place, pointed, history, interval, choose) {
  let ends = [0, LEAST_S], drawnAt = 0, waiting;
  const shared = {
    range: () => ends,
    now: () => history.times.at(-1) ?? 0,
    times: () => history.times,
    marks: () => history.events.list,
    interval: () => (interval.follows ? undefined : interval.at(0)),
    chosen: (from, to) => interval.hold(from, to),
    pointed: (time) => setText(pointed, time === undefined ? "" : whatAt(time)),
  };

  function whatAt(time) {
    const near = (ends[1] - ends[0]) / 100;
    const there = history.events.list.filter((event) => time >= event.time - near && time <= (event.until ?? event.time) + near);
    return [clock(time, true), ...there.map((event) => (event.stage ? `${event.stage}: ${event.text}` : event.text))].join(" · ");
  }

  const whole = { range: () => [0, 1], text: percent, axis: { splits: () => [0, 0.25, 0.5, 0.75, 1] } };
  let span = [1e6, 1e9];
  const map = heat(() => ({ times: history.times, windows: history.get("window"), latencies: history.latencies }));
  const charts = [
    [plot(place, { title: "Throughput", text: rate }, shared),
      () => [{ label: "items", colour: "series-0", values: history.get("throughput"), fill: true, width: 1.75 }]],
    [plot(place, { title: "Latency", text: duration }, shared),
      () => [{ label: "p50", colour: "series-0", values: history.get("p50") }, { label: "p99", colour: "series-1", values: history.get("p99") }]],
    [plot(place, { title: "Latency of all items", wide: true, height: 190, text: duration, log: true, range: () => span, paint: map, axis: { filter: tens, grid: { filter: tens } } }, shared),
      () => [{ label: "p50", colour: "heat-mid", values: history.get("p50"), width: 1 }, { label: "p99", colour: "heat-line", values: history.get("p99"), width: 1 }]],
    [plot(place, { title: "Busy", ...whole }, shared), () => each((index) => share(history.get(of(index, "busy")), history.get(of(index, "replicas"))))],
    [plot(place, { title: "Occupancy of pipes", ...whole }, shared),
      () => each((index) => {
        const capacity = history.last?.stages[index]?.capacity ?? history.graph.stages[index].capacity;
        return capacity ? history.get(of(index, "occupancy"))?.map((value) => Math.min(1, value / capacity)) : undefined;
      })],
    [plot(place, { title: "Cores", text: digits }, shared), () => [{ label: "used", colour: "series-2", values: history.get("cores"), fill: true }]],
    [plot(place, { title: "Memory", text: bytes, axis: { incrs: Array.from({ length: 40 }, (_, power) => 2 ** power) } }, shared), () => [{ label: "resident", colour: "series-3", values: history.get("memory"), fill: true }]],
  ];
  const slots = stageSlots();
  let chosen;

  function each(values) {
    return slots.shown(history, chosen).map(([index, colour]) => ({
      label: history.graph.stages[index].name, colour, values: values(index), width: index === chosen ? 3 : 1.5, choose: () => choose(index),
    })).filter((line) => line.values);
  }

  function draw(anew) {
    clearTimeout(waiting);
    waiting = undefined;
    if (!history.graph) return;
    drawnAt = performance.now();
    const now = shared.now();
    ends = [Math.max(0, now - history.span), Number.isFinite(history.span) ? Math.max(now, LEAST_S) : now || LEAST_S];
    span = decades(history.latencies);
    for (const [chart, lines] of charts) chart.show(lines(), anew);
  }

  return {
    /** Shows what is new, now or soon; at once if it is `anew`: another interval, another stage. */
    show(stage, anew) {
      chosen = stage;
      const rest = Math.max(PACE_MS, PACE_MS_PER_S * (ends[1] - ends[0])) - (performance.now() - drawnAt);
      if (anew || rest <= 0) draw(anew);
      else waiting ??= setTimeout(draw, rest);
    },
    recolour: () => charts.forEach(([chart]) => chart.recolour()),
    /** The colour of a stage in the curves, if it has one. */
    colourOf: (index) => slots.colour(index),
  };
}

const tens = (_, splits) => splits.map((value) => (Number.isInteger(Math.round(1e6 * Math.log10(value)) / 1e6) ? value : null));

function share(busy, replicas) {
  return busy?.map((value, row) => Math.min(1, value / (replicas?.[row] || 1)));
}

// Which stages have curves, and their colours: all of a few; of many the busiest ones, and the chosen one.
function stageSlots() {
  const AGAIN_S = 10, STAYS = 1.25;
  let graph, slots = [], looked = -Infinity;
  const colour = (index) => {
    const slot = slots.indexOf(index);
    return slot < 0 ? undefined : `series-${slot}`;
  };
  function rank(history) {
    const stages = history.graph.stages;
    if (stages.length <= SERIES) {
      slots = stages.map((_, index) => index);
      return;
    }
    const busy = (index) => {
      const column = history.get(of(index, "busy"))?.subarray(-40) ?? [];
      const replicas = history.last?.stages[index]?.replicas ?? 1;
      return column.length ? column.reduce((sum, value) => sum + (value || 0), 0) / column.length / replicas : 0;
    };
    const ranked = stages.map((_, index) => [index, busy(index) * (slots.includes(index) ? STAYS : 1)]);
    const best = ranked.sort((a, b) => b[1] - a[1]).slice(0, SERIES).map(([index]) => index);
    const kept = slots.map((index) => (best.includes(index) ? index : undefined));
    const fresh = best.filter((index) => !slots.includes(index));
    slots = Array.from({ length: SERIES }, (_, slot) => kept[slot] ?? fresh.shift());
  }
  return {
    colour,
    shown(history, chosen) {
      const now = history.times.at(-1) ?? 0;
      if (graph !== history.graph || now - looked > AGAIN_S || now < looked) {
        if (graph !== history.graph) slots = [];
        graph = history.graph;
        looked = now;
        rank(history);
      }
      const list = slots.filter((index) => index !== undefined).map((index) => [index, colour(index)]);
      return chosen === undefined || slots.includes(chosen) ? list : [...list, [chosen, "ink"]];
    },
  };
}
