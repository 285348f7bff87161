// Latencies at one number of threads: their distributions, and those of each operator.

/** A control for the number of threads that some rows were asked for; `change` gets the rows of the chosen one. */
function atThreads(section, rows, change) {
  const degrees = unique(rows.filter((row) => !row.sequential).map((row) => row.degree)).sort((a, b) => a - b);
  const update = (degree) => change(rows.filter((row) => row.sequential || row.degree === degree));
  const start = degrees.at(-1) ?? 1;
  if (degrees.length)
    part(section, "controls").append(
      choice("at", degrees.map((one) => [one, `${one} threads asked for`]), start, (value) => update(Number(value))));
  update(start);
}

/** The rows that are shown, each with how far it is moved from its place, so that none hides another. */
function moved(rows, room, most) {
  const step = Math.min(most, room / rows.length);
  return rows.map((row, index) => [row, (index - (rows.length - 1) / 2) * step]).filter(([row]) => isShown(row));
}

/** A card with one plot for each case, two side by side. `figure` gives what is titled of its rows. */
function showCases(section, rows, figure) {
  const cards = [...grouped(rows, (row) => row.case)].map(([title, inside]) =>
    make("div", { class: "card" }, make("h3", {}, title), figure(inside)));
  replace(part(section, "body"), sideBySide(Math.min(2, cards.length), ...cards));
}

function showQuantiles() {
  const rows = settings.filter((row) => row.quantiles.length > 1);
  if (!rows.length) return leaveOut("quantiles");
  legend("quantiles");
  atThreads("quantiles", rows, (chosen) => showCases("quantiles", chosen, quantilesOf));
}

function quantilesOf(rows) {
  const ticks = unique(rows.flatMap((row) => row.quantiles.map(([percent]) => percent))).sort((a, b) => a - b);
  const place = (percent) => -Math.log10(1 - percent / 100);
  return titled("Latency that a share of the elements does not exceed (ms), less is better", () => ({
    traces: moved(rows, 0.2, 0.04).map(([row, shift]) => {
      const shown = row.quantiles.map(([, ...spread]) => shownOf(spread));
      return {
        type: "scatter", mode: "lines+markers", name: safe(nameOf(row)), marker: markOf(row), line: lineOf(row),
        x: row.quantiles.map(([percent]) => place(percent) + shift), y: shown.map((one) => one.at),
        error_y: errors(shown, data.looks[row.look].color),
        text: row.quantiles.map(([percent, ...spread]) => safe(`${percent} % of the elements, ${spreadText(spread)} ms`)),
        hovertemplate: `<b>${safe(nameOf(row))}</b>: %{text}<extra></extra>`,
      };
    }),
    layout: {
      xaxis: { tickvals: ticks.map(place), ticktext: ticks.map((one) => `${one} %`), title: { text: "share of the elements" } },
      yaxis: { type: "log", dtick: 1 }, hovermode: "closest",
    },
  }));
}

function showOperators() {
  const rows = settings.filter((row) => row.operators.length);
  if (!rows.length) return leaveOut("operators");
  legend("operators");
  atThreads("operators", rows, (chosen) => showCases("operators", chosen, operatorsOf));
}

function operatorsOf(rows) {
  const names = unique(rows.flatMap((row) => row.operators.map(([name]) => name)));
  const line = (place) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: place, y1: place, line: { color: colour("rule"), width: 1 } });
  return titled("Mean latency of each operator (ms), less is better", () => ({
    traces: moved(rows, 0.8, 0.2).map(([row, shift]) => {
      const shown = row.operators.map(([, ...spread]) => shownOf(spread));
      return {
        type: "scatter", mode: "markers", name: safe(nameOf(row)), marker: markOf(row),
        x: shown.map((one) => one.at), y: row.operators.map(([name]) => names.indexOf(name) + shift),
        error_x: errors(shown, data.looks[row.look].color),
        text: row.operators.map(([name, ...spread]) => safe(`${name}, ${spreadText(spread)} ms`)),
        hovertemplate: `<b>${safe(nameOf(row))}</b>: %{text}<extra></extra>`,
      };
    }),
    layout: {
      xaxis: { type: "log", dtick: 1 }, hovermode: "closest",
      yaxis: { tickvals: names.map((_, index) => index), ticktext: names.map((name) => `${safe(name)} `),
        range: [names.length - 0.4, -0.6], zeroline: false, showgrid: false },
      shapes: names.slice(1).map((_, index) => line(index + 0.5)),
    },
  }), 80 + names.length * Math.max(36, 12 * rows.length));
}
