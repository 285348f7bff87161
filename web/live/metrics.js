// What the boxes of the graph may be coloured by.

import { duration, percent, rate } from "./units.js";

const linear = (value, [low, high]) => (high > low ? (value - low) / (high - low) : 1);
const logarithmic = (value, [low, high]) => (high > low && low > 0 ? Math.log(value / low) / Math.log(high / low) : 1);

/** `of` finds the number in a stage's summary; `range` is fixed, or spans what the stages have; `part` puts it between 0 and 1. */
export const METRICS = new Map([
  ["shares", { words: "how its time is spent" }],
  ["busy", { words: "busy", of: (stage) => stage.atWork, range: [0, 1], part: linear, text: percent }],
  ["rate", { words: "rate", of: (stage) => stage.rate, from: 0, part: linear, text: rate }],
  ["service", { words: "time per item", of: (stage) => stage.service, part: logarithmic, text: duration }],
  ["full", { words: "occupancy of its pipe", of: (stage) => stage.full, range: [0, 1], part: linear, text: percent }],
]);

/** The least and the greatest value of a metric, rounded so that the colours do not flicker. */
export function rangeOf(metric, stages) {
  if (metric.range) return metric.range;
  const values = stages.map(metric.of).filter((value) => value !== undefined && value > 0);
  if (!values.length) return [0, 1];
  return [metric.from ?? rounded(Math.min(...values), Math.floor), rounded(Math.max(...values), Math.ceil)];
}

function rounded(value, way) {
  const power = 10 ** Math.floor(Math.log10(value));
  return way(Math.round((value / power) * 1000) / 1000) * power;
}
