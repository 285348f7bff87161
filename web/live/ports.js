// Where edges leave and reach boxes: spread over the sides, in the order of where they come from and go to.

import { BOX } from "./layout.js";

const GAP = 15;

/** The edges of a layout with their points moved to ports; `back` tells those that lead against its direction. */
export function withPorts({ stages, edges }, down) {
  const along = down ? "y" : "x", across = down ? "x" : "y";
  const length = (down ? BOX.height : BOX.width) / 2, breadth = (down ? BOX.width : BOX.height) - 20;
  const sides = new Map();
  const routed = edges.map((edge) => {
    const back = stages[edge.from][along] >= stages[edge.to][along];
    const inner = edge.points.slice(1, -1).map((point) => ({ ...point }));
    return { ...edge, back, inner: inner.length ? inner : edge.points.slice(0, 1) };
  });
  const put = (stage, side, edge, end) => {
    const key = `${stage} ${side}`;
    if (!sides.has(key)) sides.set(key, []);
    const toward = end === "first" ? edge.inner[0] : edge.inner.at(-1);
    sides.get(key).push({ edge, end, toward: toward[across] });
  };
  for (const edge of routed) {
    put(edge.from, edge.back ? -1 : 1, edge, "first");
    put(edge.to, edge.back ? 1 : -1, edge, "last");
  }
  for (const [key, ports] of sides) {
    const [stage, side] = key.split(" ").map(Number);
    ports.sort((a, b) => a.toward - b.toward);
    const gap = Math.min(GAP, breadth / ports.length);
    ports.forEach(({ edge, end }, place) => {
      const point = { x: 0, y: 0 };
      point[along] = stages[stage][along] + side * length;
      point[across] = stages[stage][across] + (place - (ports.length - 1) / 2) * gap;
      edge[end] = point;
    });
  }
  return routed.map(({ from, to, back, first, last, inner }) => ({ from, to, back, points: [first, ...inner, last] }));
}
