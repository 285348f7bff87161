// The figures of the chosen stage; if none is chosen, the busiest stages.

import { batchForm, limitsText } from "./batch.js";
import { el, setAttribute, setShown, setStyle, setText } from "./dom.js";
import { shares as sharesPart } from "./shares.js";
import { tapButtons } from "./tap.js";
import { count, digits, duration, percent, rate } from "./units.js";

const BUSIEST = 12;

// What a stage is asked for, in the order of the list: a name, a text (undefined: not measured), what it means.
const ROWS = [
  ["Rate", (s) => s.rate !== undefined && rate(s.rate)],
  ["Due now", (_, last) => last?.due_rate !== undefined && rate(last.due_rate)],
  ["Batch", (_, last) => last?.batch !== undefined && limitsText(last.batch)],
  ["Time per item", (s) => s.service !== undefined && duration(s.service)],
  ["At work", (s) => s.busy !== undefined && `${digits(s.busy)} of ${s.replicas}`],
  ["Waits for input", (s) => s.wait_in !== undefined && percent(s.wait_in)],
  ["Waits for room", (s) => s.wait_out !== undefined && percent(s.wait_out)],
  ["In its pipe", (s) => s.occupancy !== undefined && (s.capacity ? `${digits(s.occupancy)} of ${s.capacity}` : digits(s.occupancy))],
  ["Reordering", (s, last) => s.reorder !== undefined && `${digits(s.reorder)} of ${last?.reorder_capacity ?? "?"} runs`],
  ["Latency p50", (s) => s.p50 !== undefined && duration(s.p50)],
  ["Latency p99", (s) => s.p99 !== undefined && duration(s.p99)],
  ["Items in", (_, last) => last?.items_in !== undefined && count(last.items_in)],
  ["Items out", (_, last) => last?.items_out !== undefined && count(last.items_out)],
  ["Errors", (s) => s.errors !== undefined && count(s.errors), "bad"],
  ["Retries", (s) => s.retries !== undefined && count(s.retries), "care"],
  ["Skipped", (s) => s.skipped !== undefined && count(s.skipped), "care"],
  ["Dead letters", (s) => s.dead_lettered !== undefined && count(s.dead_lettered), "bad"],
  ["Dropped", (s) => s.dropped !== undefined && count(s.dropped), "care"],
];

/** Fills the panel. `choose(index or undefined)`, `resize(index, replicas)`, `pace(index, rate)`, `batch(index, limits)` and `look(from, to)` hear what the user wants. */
export function panel(place, choose, resize, pace, batch, look) {
  const title = el("h2", { id: "stage-name" });
  const about = el("p", { class: "chips" });
  const shares = ["busy", "room", "input"].map((kind) => el("i", { class: kind }));
  const bar = el("div", { class: "shares", role: "img" }, ...shares);
  const rows = ROWS.map(([name]) => ({ term: el("dt", {}, name), value: el("dd") }));
  const list = el("dl", {}, ...rows.flatMap(({ term, value }) => [term, value]));
  const number = el("output", { "aria-live": "polite" });
  const fewer = el("button", { type: "button", "aria-label": "one replica less" }, "−");
  const more = el("button", { type: "button", "aria-label": "one replica more" }, "+");
  const replicas = el("div", { class: "replicas", role: "group", "aria-label": "Replicas" }, el("span", {}, "Replicas"), fewer, number, more);
  const wish = el("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "500 or wave,60,100,900", title: "items a second, or a pattern: docs/load.md" });
  const set = el("button", {}, "Set");
  const pacing = el("form", { class: "pace" }, el("label", {}, "Rate", wish), set);
  const divided = sharesPart();
  const taps = tapButtons(look);
  const batching = batchForm(batch);
  const close = el("button", { type: "button", class: "quiet", "aria-label": "close the stage's panel", onclick: () => choose(undefined) }, "✕");
  const one = el("div", { class: "one", "aria-labelledby": "stage-name", role: "group" }, el("div", { class: "title" }, title, close), about, bar, replicas, pacing, batching.node, taps.node, list, divided.place);
  const body = el("tbody");
  const heading = el("h2", {}, "Stages");
  const all = el("div", { class: "all" }, heading,
    el("table", {}, el("thead", {}, el("tr", {}, ...["Stage", "Rate", "Per item", "Busy"].map((name) => el("th", { scope: "col" }, name)))), body));
  place.append(one, all);
  let current, wanted = 0;
  fewer.addEventListener("click", () => resize(current, wanted - 1));
  more.addEventListener("click", () => resize(current, wanted + 1));
  pacing.addEventListener("submit", (event) => {
    event.preventDefault();
    if (wish.value.trim()) pace(current, wish.value.trim());
  });

  const lines = [];
  function line(index) {
    while (lines.length <= index) {
      const cells = [el("button", { type: "button", class: "link" }), el("span"), el("span"), el("span")];
      const filling = el("i"), meter = el("span", { class: "meter" }, filling, cells[3]);
      const row = el("tr", {}, el("th", { scope: "row" }, cells[0]), el("td", {}, cells[1]), el("td", {}, cells[2]), el("td", {}, meter));
      const made = { row, cells, filling, stage: undefined };
      cells[0].addEventListener("click", () => choose(made.stage));
      lines.push(made);
      body.append(row);
    }
    return lines[index];
  }

  return {
    /** Shows a stage, or all of them; `itsShares` is what `sharesOf` has found of it. */
    show(graph, figures, last, chosen, controllable, itsShares) {
      if (current !== chosen) wish.value = "";
      current = chosen;
      setShown(one, chosen !== undefined);
      setShown(all, chosen === undefined);
      if (chosen === undefined) return showAll(graph, figures.stages);
      const stage = graph.stages[chosen], its = figures.stages[chosen];
      setText(title, stage.name);
      setText(about, [stage.kind, stage.paced && "paced", stage.blocking && "blocking", stage.segment >= 0 && "fused",
        stage.ranks?.length && `${stage.ranks.length > 1 ? "ranks" : "rank"} ${stage.ranks.join(", ")}`].filter(Boolean).join(" · "));
      const parts = [its.atWork, its.wait_out, its.wait_in];
      setAttribute(bar, "aria-label", `busy ${percent(its.atWork)}, waiting for room ${percent(its.wait_out)}, waiting for input ${percent(its.wait_in)}`);
      shares.forEach((share, index) => setStyle(share, "width", `${Math.round(1000 * (parts[index] ?? 0)) / 10}%`));
      ROWS.forEach(([, text, kind], index) => {
        const value = text(its, last?.stages[chosen]);
        setShown(rows[index].term, value !== false);
        setShown(rows[index].value, value !== false);
        if (value !== false) setText(rows[index].value, value);
        setAttribute(rows[index].value, "class", kind && value !== false && value !== "0" ? kind : undefined);
      });
      wanted = last?.stages[chosen]?.replicas ?? its.replicas;
      setShown(replicas, stage.farm && graph.control === true);
      setText(number, String(wanted));
      fewer.disabled = !controllable || wanted <= 1;
      more.disabled = !controllable;
      divided.show(itsShares, wanted);
      setShown(pacing, last?.stages[chosen]?.due_rate !== undefined && graph.control === true);
      set.disabled = !controllable;
      taps.show(graph, chosen, controllable);
      batching.show(chosen, last?.stages[chosen]?.batch, graph.control === true, controllable);
      return undefined;
    },
  };

  function showAll(graph, stages) {
    let indexes = stages.map((_, index) => index);
    const many = indexes.length > BUSIEST;
    if (many) indexes = indexes.sort((a, b) => (stages[b].atWork ?? -1) - (stages[a].atWork ?? -1)).slice(0, BUSIEST);
    setText(heading, many ? `The busiest of ${count(stages.length)} stages` : "Stages");
    indexes.forEach((index, place) => {
      const { row, cells, filling } = line(place), its = stages[index];
      lines[place].stage = index;
      setText(cells[0], graph.stages[index].name);
      setText(cells[1], rate(its.rate));
      setText(cells[2], duration(its.service));
      setText(cells[3], percent(its.atWork));
      setStyle(filling, "width", `${Math.round(100 * (its.atWork ?? 0))}%`);
      setShown(row, true);
    });
    lines.slice(indexes.length).forEach(({ row }) => setShown(row, false));
  }
}
