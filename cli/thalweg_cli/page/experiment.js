// The sections of an experiment: a table each, and plots.

function tableOf(section) {
  const cells = (kind, row) => row.map((text, place) => make(place ? kind : "th", place ? { class: "number" } : {}, text));
  const head = make("tr", {}, ...cells("th", section.columns));
  const body = section.rows.map((row) => make("tr", {}, ...cells("td", row)));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

function plotOf(told) {
  const shown = (trace) => ({ ...trace, name: safe(trace.name) });
  return titled(told.title, () => ({
    traces: told.traces.map(shown),
    layout: {
      showlegend: true,
      legend: { orientation: "h", y: -0.25 },
      xaxis: { title: { text: told.x } },
      yaxis: { title: { text: told.y }, rangemode: "tozero" },
      ...told.more,
    },
  }), 340);
}

function showSection(section) {
  document.querySelector("nav").append(make("a", { href: `#${section.name}` }, section.name));
  const plots = section.plots.length ? sideBySide(2, ...section.plots.map(plotOf)) : null;
  document.querySelector("main").append(
    make("section", { id: section.name }, make("h2", {}, section.title), tableOf(section), ...(plots ? [plots] : [])));
}

part("words", "asked").textContent = data.asked;
for (const section of data.sections) showSection(section);
document.documentElement.dataset.ready = "yes";
