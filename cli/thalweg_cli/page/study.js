// The scenarios of a study: tables, plots over time, and who is ahead.

function lineOf(way, x, y, more = {}) {
  return {
    type: "scatter", mode: "lines", name: safe(way.name), x, y,
    line: { color: way.color, width: way.fixed ? 1 : 2, dash: way.fixed ? "dot" : "solid", ...more },
  };
}

function overTime(title, unit, traces) {
  return titled(title, () => ({
    traces: traces(),
    layout: { xaxis: { title: { text: "s" } }, yaxis: { title: { text: unit }, rangemode: "tozero" } },
  }), 280);
}

function timePlots(scenario) {
  const ways = scenario.ways.filter((way) => way.series);
  const due = { name: "due", color: colour("pale"), fixed: true };
  return [
    overTime("Rate that was due, and items that came", "/s", () => [
      ...ways.map((way) => lineOf(way, way.series.at, way.series.done)),
      lineOf({ ...due, color: colour("ink") }, ways[0].series.at, ways[0].series.due),
    ]),
    overTime("Latency that 1 item in 100 exceeds, by when items were due", "ms",
      () => ways.map((way) => lineOf(way, way.series.at, way.series.p99))),
    overTime("Replicas", "", () => ways.map((way) => lineOf(way, way.series.changed, way.series.replicas, { shape: "hv" }))),
    overTime("Processors in use", "", () => ways.map((way) => lineOf(way, way.series.sampled, way.series.cores))),
  ];
}

function paretoPlot(scenario) {
  const point = (way) => ({
    type: "scatter", mode: "markers+text", name: safe(way.name), x: [way.cpu], y: [way.late],
    text: [safe(way.name)], textposition: "top center", hoverinfo: "text+x+y",
    marker: { color: way.color, size: 10, symbol: way.fixed ? "circle-open" : "diamond" },
  });
  return titled("Late items (%) over processor time (s): to the left and below is better", () => {
    const front = scenario.front.map((name) => scenario.ways.find((way) => way.name === name));
    const line = { x: front.map((way) => way.cpu), y: front.map((way) => way.late), type: "scatter", mode: "lines",
      hoverinfo: "skip", line: { color: colour("pale"), dash: "dash", width: 1 } };
    return {
      traces: [line, ...scenario.ways.map(point)],
      layout: { xaxis: { title: { text: "s" }, rangemode: "tozero" }, yaxis: { title: { text: "%" }, rangemode: "tozero" } },
    };
  }, 360);
}

function legend(scenario) {
  const keys = scenario.ways.filter((way) => way.series).map((way) => make("span", { class: "key" },
    make("span", { style: `width: 1.6em; border-top: 2px ${way.fixed ? "dotted" : "solid"} ${way.color}` }), way.name));
  return make("div", { class: "legend" }, ...keys);
}

function rowsOf(scenario) {
  const head = make("tr", {}, make("th"), ...data.columns.map((name) => make("th", { class: "number" }, name)));
  const body = scenario.ways.map((way) => make("tr", {},
    make("th", {}, way.name + (way.ahead ? " *" : ""), way.best ? make("small", {}, " best fixed number") : null),
    ...way.cells.map((text) => make("td", { class: "number" }, text))));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

function decisionsOf(way) {
  const names = ["at (s)", "what", "reason", "measured (/s)", "predicted (/s)", "reached (/s)"];
  const head = make("tr", {}, ...names.map((name) => make("th", {}, name)));
  const body = way.decisions.map((cells) => make("tr", {}, ...cells.map((text) => make("td", {}, text))));
  return make("details", {}, make("summary", {}, `${way.name}: ${way.decisions.length} decisions`),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))));
}

function showScenario(scenario) {
  document.querySelector("nav").append(make("a", { href: `#${scenario.name}` }, scenario.name));
  document.querySelector("main").append(make("section", { id: scenario.name }, make("h2", {}, scenario.title),
    rowsOf(scenario), paretoPlot(scenario), legend(scenario), sideBySide(2, ...timePlots(scenario)),
    ...scenario.ways.filter((way) => way.decisions.length).map(decisionsOf)));
}

part("words", "asked").textContent = data.asked;
for (const scenario of data.scenarios) showScenario(scenario);
document.documentElement.dataset.ready = "yes";
