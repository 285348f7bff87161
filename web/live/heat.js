// Latency over time: a column for each window of a sample, cut into the buckets of its histogram.

import { rgb, themed } from "./colours.js";

const CELL = 3;
const SHADES = 48;
const STOPS = 5;

/** The least value that the histogram counts together with `upper`, the greatest one: docs in observe/histogram.hpp. */
export function lowerOf(upper) {
  return upper < 64 ? upper : upper + 1 - 2 ** (Math.ceil(Math.log2(upper + 1)) - 6);
}

/** The decades that hold all buckets of some samples. */
export function decades(latencies) {
  let low = Infinity, high = 0;
  for (const buckets of latencies) {
    if (!buckets?.length) continue;
    low = Math.min(low, lowerOf(buckets[0][0]));
    high = Math.max(high, buckets.at(-1)[0]);
  }
  return high ? [10 ** Math.floor(Math.log10(Math.max(1, low))), 10 ** Math.ceil(Math.log10(high + 1))] : [1e6, 1e9];
}

function shades() {
  const stops = Array.from({ length: STOPS }, (_, index) => rgb(themed(`heat-${index}`)));
  return Array.from({ length: SHADES }, (_, index) => {
    const at = (index / (SHADES - 1)) * (STOPS - 1), low = Math.min(STOPS - 2, Math.floor(at));
    const [r, g, b] = stops[low].map((value, channel) => Math.round(value + (stops[low + 1][channel] - value) * (at - low)));
    return (255 << 24) | (b << 16) | (g << 8) | r;
  });
}

/** Paints the map into a chart of a logarithmic axis. `columns()` gives times, windows and latencies. */
export function heat(columns) {
  const canvas = document.createElement("canvas"), drawn = canvas.getContext("2d");
  let picture, pixels, counts;
  return (u) => {
    const { ctx, bbox } = u;
    const width = Math.round(bbox.width), height = Math.round(bbox.height);
    if (width < 2 || height < 2) return;
    const cell = Math.round(CELL * devicePixelRatio), rows = Math.ceil(height / cell);
    if (picture?.width !== width || picture.height !== height) {
      Object.assign(canvas, { width, height });
      picture = drawn.createImageData(width, height);
      pixels = new Uint32Array(picture.data.buffer);
      counts = new Float32Array(width * rows);
    }
    pixels.fill(0);
    counts.fill(0);
    const reaches = new Map(), lengths = new Float32Array(width);
    const { times, windows, latencies } = columns();
    for (let sample = 0; sample < latencies.length; sample++) {
      const left = Math.round(u.valToPos(times[sample] - windows[sample], "x", true) - bbox.left);
      const right = Math.max(left + 1, Math.round(u.valToPos(times[sample], "x", true) - bbox.left));
      if (right <= 0 || left >= width) continue;
      for (let x = Math.max(0, left); x < Math.min(width, right); x++) lengths[x] += windows[sample];
      for (const [upper, count] of latencies[sample] ?? []) add(left, right, upper, count);
    }
    let most = 0;
    for (let x = 0; x < width; x++) for (let row = 0; row < rows; row++) {
      if (counts[x * rows + row]) most = Math.max(most, (counts[x * rows + row] /= lengths[x]));
    }
    const colours = shades(), whole = Math.log1p(most);
    for (let x = 0; x < width; x++) for (let row = 0; row < rows; row++) {
      const value = counts[x * rows + row];
      if (!value) continue;
      const colour = colours[Math.min(SHADES - 1, Math.floor((Math.log1p(value) / whole) * SHADES))];
      for (let y = row * cell; y < Math.min(height, (row + 1) * cell); y++) pixels[y * width + x] = colour;
    }
    drawn.putImageData(picture, 0, 0);
    ctx.drawImage(canvas, Math.round(bbox.left), Math.round(bbox.top));

    // A bucket's items go to the rows that it reaches over, each its part.
    function add(left, right, upper, count) {
      let reach = reaches.get(upper);
      if (!reach) reaches.set(upper, reach = reachOf(upper));
      const [top, bottom] = reach, part = count / (bottom - top + 1);
      for (let x = Math.max(0, left); x < Math.min(width, right); x++) {
        for (let row = Math.max(0, top); row <= Math.min(rows - 1, bottom); row++) counts[x * rows + row] += part;
      }
    }

    function reachOf(upper) {
      const top = Math.floor((u.valToPos(upper + 1, "y", true) - bbox.top) / cell);
      const bottom = Math.ceil((u.valToPos(Math.max(1, lowerOf(upper)), "y", true) - bbox.top) / cell) - 1;
      return [top, Math.max(top, bottom)];
    }
  };
}
