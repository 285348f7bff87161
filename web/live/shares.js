// How the work of a stage is divided among its replicas, the parts of its keys, or ranks: a row with two bars for each.

import { el, setAttribute, setShown, setStyle, setText } from "./dom.js";
import { count, digits, percent } from "./units.js";

const NAMES = { replica: "Replicas", part: "Parts of the keys", rank: "Ranks" };
const ONE = { replica: "replica", part: "part", rank: "rank" };
const HINTS = {
  replica: "An idle replica takes the next item, so with little to do the first ones do most of it, and that is no fault.",
  part: "All items of a key belong to one part, and one replica at a time works on a part.",
  rank: "Each rank has its replicas of the stage.",
};

/** How uneven numbers are: the largest divided by the mean; undefined if there are fewer than two, or all are 0. */
export function skew(numbers) {
  const sum = numbers.reduce((all, one) => all + one, 0);
  return numbers.length > 1 && sum > 0 ? (Math.max(...numbers) * numbers.length) / sum : undefined;
}

/** The text of it, such as `skew 1.8×`. */
export const skewText = (value) => (value === undefined ? "" : `skew ${value.toFixed(1)}×`);

/** What each has done in the samples [begin, end): its number, the share of the time it was busy, its items and their share. */
export function sharesOf(history, index, begin, end) {
  const now = history.shares[end - 1]?.[index];
  if (!now) return undefined;
  // What a sample tells is since the run began; before the first sample that is kept, all is 0 if that is the run's first.
  const whole = history.times[0] - history.get("window")[0] <= 1e-3 * history.times[0];
  const from = begin > 0 ? begin - 1 : whole ? undefined : 0;
  const before = from === undefined ? undefined : history.shares[from]?.[index];
  const seconds = history.times[end - 1] - (from === undefined ? 0 : history.times[from]);
  const places = new Map(before?.by === now.by ? before.number.map((number, place) => [number, place]) : []);
  const since = (all, which, place) => Math.max(0, all - (places.has(place) ? before[which][places.get(place)] : 0));
  const rows = now.number.map((number, place) => ({
    number,
    busy: seconds > 0 ? Math.min(1, since(now.busy_ns[place], "busy_ns", number) / 1e9 / seconds) : undefined,
    items: since(now.items[place], "items", number),
  }));
  const all = rows.reduce((sum, row) => sum + row.items, 0);
  return { by: now.by, rows: rows.map((row) => ({ ...row, share: all > 0 ? row.items / all : 0 })) };
}

/** The rows of the chosen stage. */
export function shares() {
  const title = el("h3"), uneven = el("b"), about = el("p", { class: "small" });
  const body = el("tbody");
  const heads = ["", "Busy", "Items"].map((name) => el("th", { scope: "col" }, name));
  const place = el("div", { class: "divided" }, el("div", { class: "title" }, title, uneven), about,
    el("div", { class: "rows", tabindex: 0, role: "group", "aria-label": "Shares" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)));
  const lines = [];
  function line(index) {
    while (lines.length <= index) {
      const cells = [el("span"), el("span"), el("span")], fillings = [el("i"), el("i", { class: "items" })], mean = el("i", { class: "mean" });
      const row = el("tr", {}, el("th", { scope: "row" }, cells[0]), el("td", {}, el("span", { class: "meter" }, fillings[0], mean, cells[1])),
        el("td", {}, el("span", { class: "meter" }, fillings[1], cells[2])));
      lines.push({ row, cells, fillings, mean });
      body.append(row);
    }
    return lines[index];
  }
  return {
    place,
    /** Shows what `sharesOf` has found; `replicas` is how many may work now. */
    show(found, replicas) {
      setShown(place, found !== undefined);
      if (!found) return;
      // Replicas that have been taken away do not count, once they do nothing.
      const rows = found.rows.filter((row) => found.by !== "replica" || row.number < replicas || row.items > 0);
      const busy = rows.map((row) => row.busy ?? 0);
      const mean = busy.reduce((sum, one) => sum + one, 0) / Math.max(1, rows.length);
      setText(title, NAMES[found.by] ?? found.by);
      setAttribute(title, "title", HINTS[found.by]);
      setText(uneven, skewText(skew(busy)));
      setAttribute(uneven, "title", "the busiest divided by the mean");
      setText(about, `mean ${percent(mean)}, most ${percent(Math.max(0, ...busy))} of the time`);
      setText(heads[0], ONE[found.by] ? ONE[found.by][0].toUpperCase() + ONE[found.by].slice(1) : "");
      rows.forEach((row, index) => {
        const { row: shown, cells, fillings, mean: mark } = line(index);
        setText(cells[0], String(row.number));
        setText(cells[1], percent(row.busy));
        setText(cells[2], percent(row.share));
        setAttribute(shown, "title", `${ONE[found.by] ?? found.by} ${row.number}: busy ${percent(row.busy)} of the time, ${count(row.items)} items`);
        setStyle(fillings[0], "width", `${digits(100 * (row.busy ?? 0))}%`);
        setStyle(fillings[1], "width", `${digits(100 * row.share)}%`);
        setStyle(mark, "left", `${digits(100 * mean)}%`);
        setShown(shown, true);
      });
      lines.slice(rows.length).forEach(({ row }) => setShown(row, false));
    },
  };
}
