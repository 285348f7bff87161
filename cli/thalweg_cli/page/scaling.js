// A card for what differs by an axis alone: lines over it, or bars where it has one place.

let scale = "own";

const SCALES = [["own", "of each plot"], ["own-log", "of each plot, logarithmic"], ["one", "one for all"],
  ["one-log", "one for all, logarithmic"]];

/** Of a band the axis is logarithmic: the longest latencies may be a thousand times those of half of the elements. */
function valueAxis(chart, limits) {
  const logarithmic = scale.endsWith("log") || chart.name === "band";
  const common = scale.startsWith("one") ? limits[chart.name] : null;
  if (!common) return logarithmic ? { type: "log", dtick: 1 } : { rangemode: "tozero" };
  const [low, high] = common;
  return logarithmic ? { type: "log", dtick: 1, range: [Math.log10(low) - 0.1, Math.log10(high) + 0.1] } : { range: [0, 1.05 * high] };
}

/** The rows of a line that are shown and have what a plot is about, each with where it stands. */
function pointsOf(line, name) {
  return line.rows.map((index, place) => ({ row: data.rows[index], at: line.at[place], line }))
    .filter(({ row }) => row.values[name] && isShown(row));
}

function underPointer(row, text) {
  const parts = [row.nprocs && `${row.nprocs} ranks`, `${row.nthreads} threads asked for`, `${row.threads} there`, row.batch && `${row.batch} a batch`,
    row.frequency && `${row.frequency} /s`, row.user_args && `arguments ${row.user_args}`, row.failed && `${row.failed} runs failed`];
  return `${safe(text)}<br>${safe(parts.filter(Boolean).join(", "))}`;
}

/** What all traces of some points have: their marks may be of several sets. */
function traceOf(points, told) {
  const marks = points.map(({ row }) => markOf(row));
  const name = safe(points[0].line.name);
  return {
    type: "scatter", name, line: lineOf(points[0].row), hovertemplate: `<b>${name}</b>: %{text}<extra></extra>`,
    marker: { ...marks[0], symbol: marks.map((one) => one.symbol), size: marks.map((one) => one.size), opacity: 1 },
    text: points.map(({ row }) => underPointer(row, told(row))),
  };
}

/** The line of a metric. A level one goes from end to end of the axis, though it has one mark. */
function metricTraces(panel, line, name) {
  const points = pointsOf(line, name);
  if (!points.length) return [];
  const shown = points.map(({ row }) => shownOf(row.values[name]));
  const trace = traceOf(points, (row) => spreadText(row.values[name]));
  const [x, y] = [points.map(({ at }) => at), shown.map((one) => one.at)];
  const ends = { ...trace, mode: "lines", x: [panel.ticks[0][0], panel.ticks.at(-1)[0]], y: [y[0], y[0]], hoverinfo: "skip", hovertemplate: null };
  return [
    ...(line.level ? [ends] : []),
    { ...trace, mode: line.level ? "markers" : "lines+markers", x, y, error_y: errors(shown, trace.line.color) },
  ];
}

/** Marks at half of the elements, each with a thick bar up to the next quantile, and a thin one up to the longest. */
function bandTraces(line, chart, lying) {
  const points = pointsOf(line, chart.metric);
  if (!points.length) return [];
  const half = points.map(({ row }) => row.values[chart.metric][0]);
  const of = (row, name) => row.values[name]?.[0];
  const trace = traceOf(points, (row) => [`half of the elements ${plain(of(row, chart.metric))}`,
    chart.upper ? `${chart.upper} ${plain(of(row, chart.upper))}` : "", `longest ${plain(of(row, "max"))} ms`].filter(Boolean).join(", "));
  const up = (name, thickness, width) => {
    const array = points.map(({ row }, index) => Math.max(0, (of(row, name) ?? half[index]) - half[index]));
    return { type: "data", symmetric: false, array, arrayminus: array.map(() => 0), color: trace.line.color, thickness, width };
  };
  const [along, beside, bar] = lying ? ["x", "y", "error_x"] : ["y", "x", "error_y"];
  const placed = { ...trace, [along]: half, [beside]: points.map(({ at }) => (lying ? trace.name : at)), line: { ...trace.line, width: 1 } };
  return [
    { ...placed, mode: lying ? "markers" : "lines+markers", [bar]: up("max", 1, 4) },
    ...(chart.upper ? [{ ...placed, mode: "markers", [bar]: up(chart.upper, 5, 0), hoverinfo: "skip", hovertemplate: null }] : []),
  ];
}

/** A bar for each program. */
function barTraces(panel, name) {
  const points = panel.lines.flatMap((line) => pointsOf(line, name));
  const shown = points.map(({ row }) => shownOf(row.values[name]));
  return [{
    type: "bar", orientation: "h", y: points.map(({ line }) => safe(line.name)), x: shown.map((one) => one.at),
    error_x: errors(shown, colour("ink")), marker: { color: points.map(({ row }) => data.looks[row.look].color), opacity: 0.8 },
    text: points.map(({ row }) => underPointer(row, spreadText(row.values[name]))), textposition: "none",
    hovertemplate: "%{text}<extra></extra>",
  }];
}

function barsOf(axis, panel, chart) {
  return {
    traces: chart.name === "band" ? panel.lines.flatMap((line) => bandTraces(line, chart, true)) : barTraces(panel, chart.name),
    layout: {
      xaxis: valueAxis(chart, axis.limits), hovermode: "closest",
      yaxis: { type: "category", showgrid: false, ticksuffix: " ", categoryorder: "array",
        categoryarray: panel.lines.map((line) => safe(line.name)).reverse() },
    },
  };
}

function linesOf(axis, panel, chart) {
  const ticks = { tickvals: panel.ticks.map(([at]) => at), ticktext: panel.ticks.map(([, text]) => safe(text)) };
  return {
    traces: panel.lines.flatMap((line) => (chart.name === "band" ? bandTraces(line, chart, false) : metricTraces(panel, line, chart.name))),
    layout: {
      xaxis: { title: { text: axis.title }, ...(panel.ticks.length <= 12 ? ticks : {}) },
      yaxis: valueAxis(chart, axis.limits), hovermode: "closest",
    },
  };
}

function chartOf(axis, panel, chart) {
  return panel.ticks.length === 1
    ? titled(chart.title, () => barsOf(axis, panel, chart), 80 + 26 * Math.max(3, panel.lines.length))
    : titled(chart.title, () => linesOf(axis, panel, chart));
}

function showScaling() {
  const axes = new Map(data.axes.map((axis) => [axis.name, axis]));
  legend("scaling");
  const update = (along) => {
    const axis = axes.get(along);
    replace(part("scaling", "body"), ...axis.panels.map((panel) => card(panel.title, panel.charts.map((chart) => chartOf(axis, panel, chart)))));
  };
  part("scaling", "controls").append(
    choice("over", data.axes.map((axis) => [axis.name, axis.title]), data.by, update),
    choice("scale", SCALES, scale, (value) => { scale = value; redraw(); }),
  );
  update(data.by);
}
