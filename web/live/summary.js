// What each stage did in an interval of time: means over its samples.

import { of } from "./history.js";

/** The first place in ascending times that is later than one. */
export function after(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The stages' figures of the samples in an interval, and what limited the run for most of them. */
export function summary(history, from, to) {
  const times = history.times, window = history.get("window");
  const end = after(times, to + 1e-6);
  const begin = Math.min(after(times, from + 1e-6), Math.max(0, end - 1));
  const mean = (name, weight) => {
    const column = history.get(name);
    if (!column) return undefined;
    let sum = 0, whole = 0;
    for (let row = begin; row < end; row++) {
      const value = column[row], part = weight ? window[row] * weight[row] : window[row];
      if (value === value && part === part) {
        sum += value * part;
        whole += part;
      }
    }
    return whole > 0 ? sum / whole : undefined;
  };
  const last = (name) => {
    const column = history.get(name);
    for (let row = end; column && row-- > begin;) if (column[row] === column[row]) return column[row];
    return undefined;
  };
  const stages = history.graph.stages.map((stage, index) => {
    const one = { service: mean(of(index, "service_ns"), history.get(of(index, "rate"))), replicas: last(of(index, "replicas")) ?? 1 };
    for (const metric of ["rate", "out", "busy", "wait_in", "wait_out", "occupancy", "reorder", "p50", "p99"]) one[metric] = mean(of(index, metric));
    for (const total of ["errors", "retries", "skipped", "dead_lettered", "dropped"]) one[total] = last(of(index, total)) ?? (history.last?.stages[index]?.[total] === undefined ? undefined : 0);
    one.capacity = history.last?.stages[index]?.capacity ?? stage.capacity;
    one.atWork = one.busy === undefined ? undefined : Math.min(1, one.busy / one.replicas);
    one.full = one.occupancy === undefined || !one.capacity ? undefined : Math.min(1, one.occupancy / one.capacity);
    return one;
  });
  return { stages, limit: limitOf(history, begin, end), begin, end };
}

function limitOf(history, begin, end) {
  const column = history.get("limit");
  const votes = new Map();
  for (let row = begin; column && row < end; row++) if (column[row] === column[row]) votes.set(column[row], (votes.get(column[row]) ?? 0) + 1);
  let most, best = 0;
  for (const [verdict, number] of votes) if (number >= best) [most, best] = [verdict, number];
  // In the words of the last sample that says so: those from later have other numbers.
  for (let row = end; best && row-- > begin;) if (column[row] === most) return history.limits[row];
  return undefined;
}
