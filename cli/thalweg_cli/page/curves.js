// Latency over the rate, for each search for the highest one at which it is bounded.

const BOUNDED = "p99";  // The latency that is compared with a bound.

function showCurves() {
  if (!data.curves.length) return leaveOut("sustainable");
  legend("sustainable");
  const names = data.latencies.filter((name) => data.curves.some((curve) => curve.points.some((point) => point[name])));
  let latency = names[0];
  part("sustainable", "controls").append(
    choice("", names.map((name) => [name, metrics.get(name).words]), latency, (value) => { latency = value; redraw(); }));
  const cards = [...grouped(data.curves, (curve) => curve.case)].map(([title, curves]) =>
    card(title, [titled("Latency (ms) over the rate, less is better", () => curvesOf(curves.filter(isShown), latency))], foundTable(curves)));
  part("sustainable", "body").append(...cards);
}

function curveName(curve) {
  return `${nameOf(curve)}, ${curve.nthreads} threads`;
}

function curvesOf(curves, latency) {
  const line = (curve, dash, more) => ({ type: "line", x0: 0, x1: 1, y0: 0, y1: 1, line: { color: data.looks[curve.look].color, width: 1, dash }, ...more });
  return {
    traces: curves.map((curve) => {
      const points = curve.points.filter((point) => point[latency]);
      const shown = points.map((point) => shownOf(point[latency]));
      const mark = markOf(curve);
      return {
        type: "scatter", mode: "lines+markers", name: safe(curveName(curve)), line: lineOf(curve),
        x: points.map((point) => point.rate), y: shown.map((one) => one.at), error_y: errors(shown, mark.color),
        marker: { ...mark, color: points.map((point) => (2 * point.bounded > point.runs ? mark.color : colour("paper"))) },
        text: points.map((point) => `${spreadText(point[latency])} ms<br>asked ${plain(point.rate)} /s, took ${plain(point.throughput?.[0])} /s<br>` +
          `bounded in ${point.bounded} of ${point.runs} runs`),
        hovertemplate: `<b>${safe(curveName(curve))}</b>: %{text}<extra></extra>`,
      };
    }),
    layout: {
      xaxis: { title: { text: "elements asked for each second" }, rangemode: "tozero" },
      yaxis: { type: "log", dtick: 1 }, hovermode: "closest",
      shapes: curves.flatMap((curve) => [
        ...(curve.rate ? [line(curve, "dash", { x0: curve.rate, x1: curve.rate, yref: "paper" })] : []),
        ...(latency === BOUNDED ? [line(curve, "dot", { y0: curve.bound_ms, y1: curve.bound_ms, xref: "paper" })] : []),
      ]),
    },
  };
}

function foundTable(curves) {
  const headings = ["program", "threads", "unthrottled (/s)", "sustainable (/s)", "share (%)", "not at (/s)",
    "p99 at low load (ms)", "bound of p99 (ms)", "bounded in runs", ""];
  const cells = (curve) => [nameOf(curve), curve.nthreads, plain(curve.unthrottled), plain(curve.rate) || "-",
    curve.rate ? plain(100 * curve.rate / curve.unthrottled) : "-", plain(curve.above) || "-",
    plain(curve.low_p99_ms) || "-", plain(curve.bound_ms), curve.bounded, curve.remark];
  const isText = (index) => index === 0 || index === headings.length - 1;
  const row = (tag, texts) => make("tr", {}, ...texts.map((one, index) => make(tag, { class: isText(index) ? "" : "number" }, String(one))));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, row("th", headings)),
    make("tbody", {}, ...curves.map((curve) => row("td", cells(curve))))));
}
