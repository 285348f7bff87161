// Where the boxes of a graph are: dagre decides, once for each shape of a graph and each direction.

import { Graph, layout as arrange } from "./vendor/dagre.js";

export const BOX = { width: 158, height: 66 };
/** From so many stages on a quicker way of ranking, without room for frames. */
const LARGE = 120;

/** How often a graph was laid out since the page was loaded. */
export const counts = { layouts: 0 };

/** The shape of a graph as text: layouts of equal shapes are equal. */
export function shapeOf(graph) {
  return JSON.stringify(graph.stages.map((stage) => [stage.inputs, stage.segment, stage.ranks]));
}

/** Which stages have a frame together: fused ones, and those of the same ranks. */
function framesOf(graph) {
  const frames = new Map();
  const put = (key, kind, label, index) => {
    if (!frames.has(key)) frames.set(key, { key, kind, label, stages: [] });
    frames.get(key).stages.push(index);
  };
  graph.stages.forEach(({ segment, ranks }, index) => {
    if (ranks?.length) put(`ranks ${ranks}`, "ranks", `${ranks.length === 1 ? "rank" : "ranks"} ${ranks.join(", ")}`, index);
    if (segment !== undefined && segment >= 0) put(`segment ${segment} ${ranks ?? ""}`, "segment", "fused", index);
  });
  return [...frames.values()].filter((frame) => frame.kind === "ranks" || frame.stages.length > 1);
}

/** `{ width, height, stages: [{x, y}], edges: [{from, to, points}], frames: [{x, y, width, height, kind, label}] }` */
export function layout(graph, down) {
  counts.layouts++;
  const frames = framesOf(graph);
  const large = graph.stages.length > LARGE;
  try {
    return arranged(graph, down, frames, !large && frames.length > 0);
  } catch (error) {
    if (large || !frames.length) throw error;
    return arranged(graph, down, frames, false);  // Frames that cross each other have no room of their own.
  }
}

function arranged(graph, down, frames, inside) {
  const drawn = new Graph({ compound: inside, multigraph: true });
  const large = graph.stages.length > LARGE;
  drawn.setGraph({
    rankdir: down ? "TB" : "LR", nodesep: down ? 22 : 30, ranksep: down ? 44 : 46, edgesep: 18, marginx: 14, marginy: 26,
    ...(large && { ranker: "tight-tree" }),
  });
  graph.stages.forEach((_, index) => drawn.setNode(String(index), { ...BOX }));
  if (inside) nest(drawn, frames);
  graph.stages.forEach((stage, to) => stage.inputs.forEach((from, place) => {
    if (from < graph.stages.length) drawn.setEdge(String(from), String(to), { from, to }, String(place));
  }));
  arrange(drawn);
  const { width, height } = drawn.graph();
  const stages = graph.stages.map((_, index) => drawn.node(String(index)));
  return {
    width, height, stages,
    edges: drawn.edges().map((edge) => drawn.edge(edge)).map(({ from, to, points }) => ({ from, to, points })),
    frames: frames.map((frame) => around(frame, stages)),
  };
}

// A segment is inside the frame of its ranks.
function nest(drawn, frames) {
  for (const kind of ["ranks", "segment"]) {
    for (const frame of frames.filter((one) => one.kind === kind)) {
      drawn.setNode(frame.key, {});
      const outer = drawn.parent(String(frame.stages[0]));
      if (outer) drawn.setParent(frame.key, outer);
      for (const index of frame.stages) drawn.setParent(String(index), frame.key);
    }
  }
}

function around({ kind, label, stages }, boxes) {
  const margin = kind === "ranks" ? 22 : 11;
  const mine = stages.map((index) => boxes[index]);
  const left = Math.min(...mine.map((box) => box.x)) - BOX.width / 2 - margin;
  const right = Math.max(...mine.map((box) => box.x)) + BOX.width / 2 + margin;
  const top = Math.min(...mine.map((box) => box.y)) - BOX.height / 2 - margin;
  const bottom = Math.max(...mine.map((box) => box.y)) + BOX.height / 2 + margin;
  return { kind, label, x: left, y: top, width: right - left, height: bottom - top };
}
