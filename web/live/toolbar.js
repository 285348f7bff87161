// What the graph shows, and of when.

import { el, setShown, setText } from "./dom.js";
import { legend } from "./graph.js";
import { LENGTHS } from "./interval.js";
import { METRICS } from "./metrics.js";
import { clock } from "./units.js";

function words(seconds) {
  if (!Number.isFinite(seconds)) return "the whole run";
  return seconds < 60 ? `last ${seconds} s` : `last ${seconds / 60} min`;
}

/** Fills the choices above the graph. `changed()` is called when the metric is another one. */
export function toolbar(parts, interval, now, changed) {
  parts.metric.append(...[...METRICS].map(([name, { words: text }]) => el("option", { value: name }, text)));
  const lengths = LENGTHS.includes(interval.seconds) ? LENGTHS : [...LENGTHS, interval.seconds];
  parts.length.append(...lengths.map((seconds) => el("option", { value: seconds, selected: seconds === interval.seconds }, words(seconds))));
  parts.metric.addEventListener("change", changed);
  parts.length.addEventListener("change", () => interval.follow(Number(parts.length.value)));
  parts.earlier.addEventListener("click", () => interval.step(-1, now()));
  parts.later.addEventListener("click", () => interval.step(1, now()));
  parts.follow.addEventListener("click", () => interval.follow());
  let shown;
  return {
    get metric() {
      return parts.metric.value;
    },
    show(range) {
      const [from, to] = interval.at(now());
      setText(parts.when, interval.follows ? "" : `${clock(from, true)} – ${clock(to, true)}`);
      setShown(parts.follow, !interval.follows);
      parts.later.disabled = interval.follows;
      const key = `${parts.metric.value} ${range}`;
      if (key !== shown) parts.legend.replaceChildren(...legend(parts.metric.value, range));
      shown = key;
    },
  };
}
