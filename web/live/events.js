// What happened in a run at a moment: resizes, new rates and batches, decisions, errors, pauses, its end.

import { limitsText } from "./batch.js";
import { clock, rate } from "./units.js";

const MOST = 300;
/** Errors of one stage that follow each other by less are one event. */
const TOGETHER_S = 5;
const SECOND = 1e9;

/** In the order of time. Each has `time`, `kind`, `text`, `stage` (or none) and, of a pause, `until`. */
export class Events {
  list = [];
  /** Changes with the list. */
  version = 0;
  #changes = new Set();
  #decisions = new Map();
  #notes = new Set();

  add(sample, before, graph) {
    const time = sample.time_ns / SECOND;
    this.#changed("resize", sample.resizes, ({ from, to }) => `${from} → ${to} replicas`);
    this.#changed("rate", sample.rate_changes, ({ from, to }) => `${rate(from)} → ${rate(to)}`);
    this.#changed("batch", sample.batch_changes, ({ from, to }) => `${limitsText(from)} → ${limitsText(to)}`);
    for (const decision of sample.decisions ?? []) this.#decided(decision);
    for (const note of sample.notes ?? []) {
      if (this.#notes.has(note) || this.#notes.size >= MOST) continue;
      this.#notes.add(note);
      this.#put({ time, kind: "note", text: note });
    }
    if (before) sample.stages.forEach((stage, index) => this.#errors(stage, before.stages[index], time, graph.stages[index]?.name));
    this.#pause(sample.paused, time, (sample.window_ns ?? 0) / SECOND);
  }

  #changed(kind, changes, text) {
    for (const change of changes ?? []) {
      const key = `${kind} ${change.at_ns} ${change.stage}`;
      if (this.#changes.has(key)) continue;
      this.#changes.add(key);
      this.#put({ time: change.at_ns / SECOND, kind, stage: change.stage, text: text(change) });
    }
  }

  // What it has reached is known a while later.
  #decided({ at_ns, planner, what, reason, measured, predicted, reached }) {
    const key = `decision ${at_ns} ${what}`;
    let event = this.#decisions.get(key);
    if (event && (event.reached || !reached)) return;
    if (!event) {
      event = { time: at_ns / SECOND, kind: "decision" };
      this.#decisions.set(key, event);
      this.#put(event);
    }
    event.reached = reached;
    const rates = [`${rate(measured)} before`, predicted && `${rate(predicted)} expected`, reached && `${rate(reached)} reached`];
    event.text = `${what} by ${planner}${reason ? `: ${reason}` : ""} (${rates.filter(Boolean).join(", ")})`;
    this.version++;
  }

  #errors(stage, before, time, name) {
    const more = (stage.errors ?? 0) - (before?.errors ?? 0);
    if (more <= 0) return;
    const known = this.list.findLast((event) => event.kind === "error" && event.stage === name);
    if (known && time - known.latest < TOGETHER_S) {
      known.number += more;
      known.latest = time;
      known.text = `${errors(known.number)}, until ${clock(time)}`;
      this.version++;
    } else {
      this.#put({ time, kind: "error", stage: name, text: errors(more), number: more, latest: time });
    }
  }

  #pause(paused, time, window) {
    const open = this.list.findLast((event) => event.kind === "pause" && event.until === undefined);
    if (paused && !open) this.#put({ time: time - window, kind: "pause", text: "paused" });
    if (!paused && open) {
      open.until = time - window;
      open.text = `paused for ${(open.until - open.time).toFixed(1)} s`;
      this.version++;
    }
  }

  end(time) {
    this.#pause(false, time, 0);
    this.#put({ time, kind: "end", text: "the run has ended" });
  }

  forget(until) {
    const kept = this.list.filter((event) => (event.until ?? event.latest ?? event.time) >= until).slice(-MOST);
    if (kept.length === this.list.length) return;
    this.list = kept;
    this.version++;
  }

  #put(event) {
    const later = this.list.findIndex((known) => known.time > event.time);
    this.list.splice(later < 0 ? this.list.length : later, 0, event);
    this.version++;
  }
}

function errors(number) {
  return number === 1 ? "1 error" : `${number} errors`;
}
