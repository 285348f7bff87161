// The processes of a run on several ranks: what each uses and sends, and how old that is.

import { el, setAttribute, setShown, setStyle, setText } from "./dom.js";
import { skew, skewText } from "./shares.js";
import { bytes, count, digits, duration, percent } from "./units.js";

const OLD_NS = 2e9;
const NEWER_NS = 1e6;

/** Fills the table. */
export function ranks(place) {
  const body = el("tbody");
  const names = ["Rank", "Cores", "Sends", "Age"];
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))), body);
  const uneven = el("small", { title: "processor time: the busiest rank divided by the mean" });
  place.append(el("h2", {}, "Ranks ", uneven), table);
  const lines = [], before = new Map();
  // Rows are renewed at other times than samples are taken: what a rank used in the time between two of its own.
  function learn(rank, time) {
    const at = time - (rank.age_ns ?? 0), last = before.get(rank.rank);
    if (!last || at < last.at) before.set(rank.rank, { at, cpu: rank.cpu_ns });
    else if (at > last.at + NEWER_NS) before.set(rank.rank, { at, cpu: rank.cpu_ns, cores: (rank.cpu_ns - last.cpu) / (at - last.at) });
  }
  function line(index) {
    while (lines.length <= index) {
      const cells = names.map(() => el("span"));
      const filling = el("i");
      const row = el("tr", {}, el("th", { scope: "row" }, cells[0]), el("td", {}, el("span", { class: "meter" }, filling, cells[1])), el("td", {}, cells[2]), el("td", {}, cells[3]));
      lines.push({ row, cells, filling });
      body.append(row);
    }
    return lines[index];
  }
  return {
    /** Learns from each sample. */
    add(sample) {
      for (const rank of sample.ranks ?? []) learn(rank, sample.time_ns);
    },
    /** Shows the rows of the last sample, if it has any. */
    show(last) {
      const all = last?.ranks ?? [];
      setShown(place, all.length > 0);
      // Of a run of the past nobody knows.
      table.classList.toggle("ageless", all.every((rank) => rank.age_ns === undefined));
      const used = all.map((rank) => before.get(rank.rank)?.cores).filter((cores) => cores !== undefined);
      setText(uneven, skewText(used.length < all.length ? undefined : skew(used)));
      all.forEach((rank, index) => {
        const { row, cells, filling } = line(index);
        const old = rank.age_ns > OLD_NS, cores = before.get(rank.rank)?.cores;
        setText(cells[0], `${rank.rank} on ${rank.host}`);
        setText(cells[1], cores === undefined ? "–" : `${digits(cores)} of ${rank.workers}`);
        setStyle(filling, "width", percent(Math.min(1, (cores ?? 0) / Math.max(1, rank.workers))).replace("\u202f", ""));
        setText(cells[2], `${count(rank.messages)} · ${bytes(rank.bytes)}`);
        setText(cells[3], rank.age_ns === undefined ? "" : duration(rank.age_ns));
        setAttribute(row, "class", old ? "old" : undefined);
        setAttribute(row, "title", old ? "This rank has not told anything for some time: it is stopped, or too busy." : undefined);
        setShown(row, true);
      });
      lines.slice(all.length).forEach(({ row }) => setShown(row, false));
    },
  };
}
