// The head of the page: what runs, in what state, how far, how fast.

import { el, setAttribute, setShown, setText } from "./dom.js";
import { clock, count, digits, duration, moment, rate } from "./units.js";

const WORDS = { connecting: "connecting", running: "running", paused: "paused", ended: "ended", lost: "connection lost, trying again", saved: "a run of the past" };

/** What state the run is in, as far as the page knows. */
export function stateOf(history, connection) {
  if (connection === "saved") return "saved";
  if (history.ended) return "ended";
  if (connection !== "connected") return connection;
  return history.last?.paused ? "paused" : "running";
}

/** Fills the head. `order(name)` hears what the user wants of the run. */
export function header(parts, order) {
  const figures = ["Items", "Rate", "Latency p99", "Elapsed", "Cores", "Dropped", "Policy", "Began"].map((name) => {
    const value = el("dd");
    const group = el("div", {}, el("dt", {}, name), value);
    parts.figures.append(group);
    return { group, value };
  });
  for (const name of ["pause", "resume", "stop"]) parts[name].addEventListener("click", () => order(name));
  return {
    show(history, connection) {
      const { graph, last } = history, state = stateOf(history, connection);
      const over = state === "ended" || state === "saved";
      setText(parts.state, state === "saved" && history.length && !history.ended ? `${WORDS.saved}, without its end` : WORDS[state]);
      setAttribute(parts.state, "data-state", state);
      setAttribute(document.documentElement, "data-state", state);
      setShown(parts.pause, Boolean(graph?.control) && state !== "paused" && !over);
      setShown(parts.resume, Boolean(graph?.control) && state === "paused");
      setShown(parts.stop, Boolean(graph?.control) && !over);
      for (const name of ["pause", "resume", "stop"]) parts[name].disabled = state === "lost" || state === "connecting";
      if (!graph) return;
      setText(parts.title, graph.title);
      const title = `${graph.title} – ${WORDS[state]}`;
      if (document.title !== title) document.title = title;
      const second = 1e9;
      const seconds = last && last.time_ns / second;
      const whole = over && seconds > 0;
      const texts = [count(last?.items), rate(whole ? last.items / seconds : last?.throughput), last?.latency_ns && duration(last.latency_ns.p99),
        clock(seconds), last?.cores_used === undefined ? undefined : `${digits(last.cores_used)} of ${graph.cores}`,
        last?.dropped ? count(last.dropped) : undefined, `${graph.policy}, ${graph.workers} ${graph.workers === 1 ? "worker" : "workers"}`,
        state === "saved" ? moment(graph.began_unix_ms) : undefined];
      figures.forEach(({ group, value }, index) => {
        setShown(group, texts[index] !== undefined);
        setText(value, texts[index] ?? "");
      });
    },
  };
}
