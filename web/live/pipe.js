// One edge of the graph: a pipe, as wide as its rate, which fills from its far end as items wait in it.

import { setAttribute, setText, svg } from "./dom.js";
import { digits, rate } from "./units.js";

const THIN = 2, THICK = 10;
const HEAD = 9;

/** The way through points, which leaves and arrives along the direction of the layout. */
export function wayThrough(points, down) {
  let text = `M${points[0].x} ${points[0].y}`;
  for (let next = 1; next < points.length; next++) {
    const a = points[next - 1], b = points[next];
    if (down) text += `C${a.x} ${(a.y + b.y) / 2} ${b.x} ${(a.y + b.y) / 2} ${b.x} ${b.y}`;
    else text += `C${(a.x + b.x) / 2} ${a.y} ${(a.x + b.x) / 2} ${b.y} ${b.x} ${b.y}`;
  }
  return text;
}

/** Makes a pipe through points. `piped`: items can wait in it; otherwise one stage calls the other. */
export function pipe({ points, back }, piped, down) {
  const end = points.at(-1), before = points.at(-2);
  const backwards = down ? end.y < before.y : end.x < before.x;
  const sign = backwards ? -1 : 1;
  const tip = down ? { x: end.x, y: end.y - sign * HEAD * 0.7 } : { x: end.x - sign * HEAD * 0.7, y: end.y };
  const d = wayThrough([...points.slice(0, -1), tip], down);
  const lines = ["wall", "hollow", "water"].map((kind) => svg("path", { class: kind, d, pathLength: 1 }));
  const head = down ? `M${end.x} ${end.y}l-${HEAD * 0.65} ${-sign * HEAD}h${HEAD * 1.3}z` : `M${end.x} ${end.y}l${-sign * HEAD} -${HEAD * 0.65}v${HEAD * 1.3}z`;
  const title = svg("title");
  const node = svg("g", { class: piped ? "pipe" : "pipe direct" }, title, svg("path", { class: "hit", d }), ...(piped ? lines : lines.slice(0, 1)), svg("path", { class: "head", d: head }));
  if (back) node.classList.add("back");
  return {
    node,
    /** Can be clicked, also close by. */
    onClick(heard) {
      node.classList.add("open");
      node.addEventListener("click", heard);
    },
    /** Shows its rate, as a part of the highest one, and how full it is (undefined: not known). */
    show(part, full) {
      const width = Math.round(2 * (THIN + (THICK - THIN) * Math.sqrt(Math.min(1, part || 0)))) / 2;
      setAttribute(lines[0], "stroke-width", piped ? width + 3 : Math.max(THIN, width / 2));
      if (!piped) return;
      const filled = Math.round(50 * (full ?? 0)) / 50;
      setAttribute(lines[1], "stroke-width", width);
      setAttribute(lines[2], "stroke-width", filled > 0 ? width : 0);
      setAttribute(lines[2], "stroke-dasharray", `${filled} 2`);
      setAttribute(lines[2], "stroke-dashoffset", filled - 1);
      setAttribute(lines[2], "class", filled >= 0.8 ? "water high" : "water");
    },
    /** Says in words what it shows. */
    describe(from, to, itsRate, figures) {
      const waiting = figures.occupancy === undefined ? "" : `, ${digits(figures.occupancy)} of ${figures.capacity} waiting`;
      setText(title, `${from} → ${to}: ${rate(itsRate)}${waiting}`);
    },
  };
}
