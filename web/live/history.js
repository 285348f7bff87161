// The last ten minutes of a run, or all of a run of the past: its graph, and of each sample the numbers that are shown.

import { Columns } from "./columns.js";
import { Events } from "./events.js";

export const SPAN_S = 600;
/** So many samples at most, however often they come. */
const MOST = 6000;
const SECOND = 1e9;

const LEVELS = ["rate", "service_ns", "busy", "replicas", "wait_in", "wait_out", "occupancy", "reorder"];
const TOTALS = ["errors", "retries", "skipped", "dead_lettered", "dropped"];

/** The name of a stage's column. */
export const of = (stage, metric) => `${stage}/${metric}`;

export class History {
  /** Keeps so many seconds; all of them if they are infinite. */
  constructor(span = SPAN_S) {
    this.span = span;
    this.reset(undefined);
  }

  /** Begins anew, with another graph. */
  reset(graph) {
    this.graph = graph;
    this.columns = new Columns();
    this.latencies = [];  // of each sample, its buckets
    this.shares = [];  // and of each stage what its replicas, parts or ranks have done
    this.events = new Events();
    this.last = undefined;  // the last sample, whole
    this.verdicts = [];  // what has limited the run: reasons and stages
    this.limits = [];  // of each sample, its verdict in its words
    this.ended = false;
  }

  get length() {
    return this.columns.length;
  }

  /** Seconds since the run began, of each sample. */
  get times() {
    return this.columns.get("time") ?? new Float64Array(0);
  }

  get(name) {
    return this.columns.get(name);
  }

  add(sample) {
    const columns = this.columns, before = this.last;
    const time = sample.time_ns / SECOND;
    columns.add();
    columns.set("time", time);
    columns.set("window", sample.window_ns / SECOND);
    columns.set("throughput", sample.throughput);
    columns.set("cores", sample.cores_used);
    columns.set("memory", sample.resident_bytes);
    columns.set("p50", sample.latency_ns?.p50);
    columns.set("p99", sample.latency_ns?.p99);
    columns.set("paused", sample.paused ? 1 : 0);
    sample.stages.forEach((stage, index) => this.#stage(index, stage, before?.stages[index], sample.window_ns / SECOND));
    if (sample.bottleneck) columns.set("limit", this.#verdict(sample.bottleneck));
    this.latencies.push(sample.latency_ns?.buckets);
    this.limits.push(sample.bottleneck);
    this.shares.push(sample.stages.map((stage) => stage.shares));
    const times = this.times;
    let gone = Math.max(0, this.length - MOST);
    while (times[gone] < time - this.span) gone++;
    columns.drop(gone);
    this.latencies.splice(0, gone);
    this.limits.splice(0, gone);
    this.shares.splice(0, gone);
    this.events.add(sample, before, this.graph);
    this.events.forget(time - this.span);
    this.last = sample;
  }

  #stage(index, stage, before, seconds) {
    for (const level of LEVELS) this.columns.set(of(index, level), stage[level]);
    for (const total of TOTALS) if (stage[total]) this.columns.set(of(index, total), stage[total]);
    this.columns.set(of(index, "p50"), stage.latency_ns?.p50);
    this.columns.set(of(index, "p99"), stage.latency_ns?.p99);
    this.columns.set(of(index, "max"), stage.latency_ns?.max);
    if (seconds > 0) this.columns.set(of(index, "out"), (stage.items_out - (before?.items_out ?? 0)) / seconds);
  }

  #verdict(limit) {
    const same = this.verdicts.findIndex((known) => known.stage === limit.stage && known.reason === limit.reason);
    return same < 0 ? this.verdicts.push({ stage: limit.stage, reason: limit.reason }) - 1 : same;
  }
}
