// What closes the batches of a stage: as text, and a form that changes it.

import { el, setShown } from "./dom.js";
import { bytes, count, duration } from "./units.js";

/** A text for limits, such as `64 items or 10.0 ms`. */
export function limitsText({ items, bytes: size, interval_ns: interval } = {}) {
  return [items && `${count(items)} ${items === 1 ? "item" : "items"}`, size && bytes(size), interval && duration(interval)].filter(Boolean).join(" or ");
}

/** The form. `send(index, limits)` hears what the user wants: those of `items`, `every_ms` and `bytes` that are to hold. */
export function batchForm(send) {
  const field = (title) => el("input", { type: "number", min: "0", step: "any", inputmode: "decimal", title });
  const items = field("items in a batch; empty: no limit"), every = field("milliseconds that its first item waits at most; empty: no limit");
  const set = el("button", {}, "Set");
  const node = el("form", { class: "pace batch", novalidate: true, "aria-label": "What closes a batch" },
    el("label", {}, "Batch", items, el("span", {}, "items")), el("label", { class: "every" }, "or", every, el("span", {}, "ms")), set);
  let current, now = {}, written;
  node.addEventListener("input", () => { written = true; });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    written = false;
    const wanted = { items: number(items), every_ms: number(every), bytes: now.bytes };
    send(current, Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)));
  });
  return {
    node,
    /** Shows the limits of a stage; none: it is no batch. What the user is writing stays. */
    show(index, limits, controllable, enabled) {
      if (index !== current) written = false;
      current = index;
      now = limits ?? {};
      setShown(node, limits !== undefined && controllable);
      set.disabled = !enabled;
      if (written || document.activeElement === items || document.activeElement === every) return;
      put(items, now.items);
      put(every, now.interval_ns && now.interval_ns / 1e6);
    },
  };
}

function number(input) {
  return input.value.trim() === "" && !input.validity.badInput ? undefined : Number(input.value || NaN);
}

function put(input, value) {
  const text = value === undefined ? "" : String(value);
  if (input.value !== text) input.value = text;
}
