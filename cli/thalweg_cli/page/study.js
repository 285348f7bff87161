// The scenarios of a study: tables, plots over time, and who is ahead.

const hidden = new Set(); // what the reader has switched off: scenario and way

function shownWays(scenario) {
  return scenario.ways.filter((way) => way.series && !hidden.has(`${scenario.name} ${way.name}`));
}

function lineOf(way, x, y, more = {}) {
  return {
    type: "scatter", mode: "lines", name: safe(way.name), x, y,
    line: { color: way.color, width: way.best ? 1 : 2, dash: way.dash, ...more },
  };
}

function overTime(title, unit, traces, ticks = {}) {
  return titled(title, () => ({
    traces: traces(),
    layout: { xaxis: { title: { text: "s" } }, yaxis: { title: { text: unit }, rangemode: "tozero", ...ticks } },
  }), 280);
}

function timePlots(scenario) {
  const of = (x, y, more) => () => shownWays(scenario).map((way) => lineOf(way, way.series[x], way.series[y], more));
  const due = { name: "due", color: colour("ink"), dash: "dot", best: true };
  const some = scenario.ways.find((way) => way.series);
  const most = Math.max(...scenario.ways.flatMap((way) => way.series?.replicas ?? []));
  const plots = [
    overTime("Rate that was due, and items that came", "/s", () => [
      ...of("at", "done")(), lineOf({ ...due, color: colour("ink") }, some.series.at, some.series.due),
    ]),
    overTime("Latency that 1 item in 100 exceeds, by when items were due", "ms", of("at", "p99")),
    overTime("Replicas", "", of("changed", "replicas", { shape: "hv" }), most <= 12 ? { dtick: 1 } : {}),
    overTime("Processors in use", "", of("sampled", "cores")),
  ];
  if (scenario.ways.some((way) => way.series?.batches.length))
    plots.push(overTime("Interval of batches", "ms", of("batched", "batches", { shape: "hv" })));
  return plots;
}

function paretoPlot(scenario) {
  // Names of many would lie on each other: those in front have theirs, the others show it under the pointer.
  const point = (way) => ({
    type: "scatter", mode: "markers+text", name: safe(way.name), x: [way.cpu], y: [way.late],
    text: [way.ahead || way.best ? safe(way.name) : ""], hovertext: [safe(way.name)], textposition: "top center",
    hoverinfo: "text+x+y", cliponaxis: false,
    marker: { color: way.color, size: 10, symbol: way.fixed ? "circle-open" : "diamond" },
  });
  return titled("Late items (%) over processor time (s): to the left and below is better", () => {
    const front = scenario.front.map((name) => scenario.ways.find((way) => way.name === name));
    const line = { x: front.map((way) => way.cpu), y: front.map((way) => way.late), type: "scatter", mode: "lines",
      hoverinfo: "skip", line: { color: colour("pale"), dash: "dash", width: 1 } };
    return {
      traces: [line, ...scenario.ways.map(point)],
      layout: { xaxis: { title: { text: "s" } }, yaxis: { title: { text: "%" }, rangemode: "tozero" } },
    };
  }, 360);
}

/** What planners reach if they may change only some things. */
function partPlots({ planners, parts, late, cpu }) {
  const shades = ["pale", "care", "bar", "ink"];
  const bars = (title, unit, values) => titled(title, () => ({
    traces: parts.map((part, index) => ({
      type: "bar", name: part, x: planners.map(safe), y: values[index], marker: { color: colour(shades[index]) },
      hoverinfo: "name+y",
    })),
    layout: { barmode: "group", showlegend: true, legend: { orientation: "h", y: 1.15 },
      yaxis: { title: { text: unit }, rangemode: "tozero" } },
  }), 300);
  return sideBySide(2, bars("Late items, by what planners may change", "%", late),
    bars("Processor time, by what planners may change", "s", cpu));
}

function legend(scenario) {
  const keys = scenario.ways.filter((way) => way.series).map((way) => {
    const dash = { solid: "solid", dot: "dotted" }[way.dash] ?? "dashed";
    const line = make("span", { style: `width: 1.6em; border-top: 2px ${dash} ${way.color}` });
    const key = make("button", { "aria-pressed": "true" }, line, way.name);
    key.addEventListener("click", () => {
      const name = `${scenario.name} ${way.name}`;
      if (!hidden.delete(name)) hidden.add(name);
      key.setAttribute("aria-pressed", String(!hidden.has(name)));
      redraw();
    });
    return key;
  });
  return make("div", { class: "legend" }, ...keys);
}

function tableOf(columns, rows) {
  const head = make("tr", {}, make("th"), ...columns.map((name) => make("th", { class: "number" }, name)));
  const body = rows.map(([name, ...cells]) => make("tr", {}, make("th", {}, ...[name].flat()),
    ...cells.map((text) => make("td", { class: "number" }, text))));
  return make("div", { class: "scroll" },
    make("table", { class: "wraps" }, make("thead", {}, head), make("tbody", {}, ...body)));
}

function rowsOf(scenario) {
  return tableOf(data.columns, scenario.ways.map((way) => [
    [way.name + (way.ahead ? " *" : ""), way.best ? make("small", {}, " best fixed setting") : ""], ...way.cells]));
}

function costsOf({ title, columns, rows }) {
  return make("div", { class: "apart" }, make("h3", {}, title), tableOf(columns, rows));
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
    rowsOf(scenario), ...scenario.tables.map(costsOf),
    ...(scenario.front.length ? [make("div", { class: "apart" }, paretoPlot(scenario))] : []),
    ...(scenario.parts ? [partPlots(scenario.parts)] : []), legend(scenario), sideBySide(2, ...timePlots(scenario)),
    ...scenario.ways.filter((way) => way.decisions.length).map(decisionsOf)));
}

part("words", "asked").textContent = data.asked;
for (const scenario of data.scenarios) showScenario(scenario);
document.documentElement.dataset.ready = "yes";
