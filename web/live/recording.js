// Records for some seconds what the threads do, shows that as bars, and gives the file for Perfetto.

import { barsView, executionsOf, factsOf, rowsOf, spanText } from "./bars.js";
import { el, setShown, setText } from "./dom.js";
import { count, duration } from "./units.js";

const LOOK_MS = 300;
const MOST_EMPTY_ROWS = 60;

/** `parts` are elements by their ids; `order` asks the program for something, `say` tells the user; `graph()` is the present one. */
export function recording(parts, order, say, graph, base = "") {
  let goesOn = false, file;
  const view = barsView(parts.bars, { pointed, zoomed });

  function pointed(bar, x, y) {
    setShown(parts.bar, bar !== undefined);
    if (!bar) return;
    parts.bar.replaceChildren(el("strong", {}, bar.name), el("dl", {}, ...factsOf(bar).flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)])));
    const right = Math.max(0, parts.bars.clientWidth - parts.bar.offsetWidth);
    parts.bar.style.setProperty("left", `${Math.min(x + 14, right)}px`);
    parts.bar.style.setProperty("top", `${y + 18}px`);
  }

  function zoomed(range, length) {
    const whole = range[1] - range[0] >= length;
    setText(parts.shown, whole ? "" : spanText(range));
    for (const name of ["whole", "back", "on", "out"]) parts[name].disabled = whole;
  }

  function show(trace, present) {
    const stages = graph().stages, seen = executionsOf(trace);
    const rows = rowsOf(seen.bars, stages, stages.length <= MOST_EMPTY_ROWS && !seen.scope);
    setShown(parts.timeline, seen.bars.length > 0);
    setShown(parts.hint, false);
    const first = present ? seen.bars.reduce((least, bar) => Math.min(least, bar.running ? least : bar.start), seen.length) : 0;
    if (seen.bars.length) view.set(rows, seen.length, present ? Math.min(first, seen.length - 1) : 0, seen.length);
    parts.facts.dataset.executions = seen.bars.length;
    if (present) return;
    const told = [`${duration(1e3 * seen.length)}`, `${count(seen.bars.length)} executions`, `${seen.threads} threads`];
    if (seen.dropped) told.push(`${count(seen.dropped)} events more than are kept of a thread are left out`);
    if (seen.scope) told.push(seen.scope);
    setText(parts.facts, seen.bars.length ? told.join(" · ") : "Nothing was executed meanwhile.");
  }

  function offer(blob) {
    if (file) URL.revokeObjectURL(file);
    file = URL.createObjectURL(blob);
    parts.file.href = file;
    parts.file.download = `${graph().title.replace(/[^\w.-]+/g, "_")}-trace.json`;
    setShown(parts.file, true);
  }

  /** Looks until the recording is there; says what is wrong, if something is. */
  async function follow() {
    for (;;) {
      const answer = await fetch(`${base}api/recording`, { cache: "no-store" });
      if (answer.status === 200) {
        const blob = await answer.blob();
        show(JSON.parse(await blob.text()), false);
        offer(blob);
        return undefined;
      }
      if (answer.status !== 202) return (await answer.json().catch(() => ({}))).error ?? `The program refuses (${answer.status}).`;
      setText(parts.facts, `Recording, ${answer.headers.get("Retry-After")} s left. What is executed now is green.`);
      show(await answer.json(), true);
      await new Promise((then) => setTimeout(then, LOOK_MS));
    }
  }

  parts.record.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (goesOn) return;
    goesOn = parts.begin.disabled = true;
    const wrong = await order("record", { seconds: Number(parts.seconds.value) });
    if (wrong === undefined) {
      setShown(parts.file, false);
      const failed = await follow().catch(() => "The program does not answer.");
      if (failed) setText(parts.facts, failed);
    }
    say(wrong);
    goesOn = parts.begin.disabled = false;
  });
  parts.whole.addEventListener("click", view.all);
  parts.out.addEventListener("click", () => view.scale(2));
  parts.in.addEventListener("click", () => view.scale(0.5));
  parts.back.addEventListener("click", () => view.move(-0.5));
  parts.on.addEventListener("click", () => view.move(0.5));

  return {
    /** Whether there is something to ask for: a run that goes on, and may be changed. What was recorded stays. */
    show(possible) {
      setShown(parts.executions, possible || Boolean(file));
      setShown(parts.record, possible || goesOn);
    },
    recolour: view.redraw,
  };
}
