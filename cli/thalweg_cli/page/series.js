// What runs did over time.

/** A line over time. A gap is where nothing was seen; what stands alone between two gaps is a dot. */
function timeTrace(row, values) {
  const alone = values.map((value, index) => value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null);
  const name = safe(nameOf(row));
  return {
    type: "scatter", mode: "lines+markers", name, connectgaps: false, x: row.samples.columns.seconds, y: values,
    marker: { color: data.looks[row.look].color, size: alone.map((one) => (one ? 5 : 0)), opacity: 1, line: { width: 0 } },
    line: { ...lineOf(row), width: 1.5 },
    hovertemplate: `<b>${name}</b>, run ${row.samples.run}: %{y:.4g}<br>%{x:.3g} s<extra></extra>`,
  };
}

/** What lies between two lines over time, wherever both are. */
function between(row, low, high) {
  const [x, y] = [[], []];
  const { seconds } = row.samples.columns;
  let run = [];
  const close = () => {
    const back = [...run].reverse();
    x.push(...run.map((index) => seconds[index]), ...back.map((index) => seconds[index]), null);
    y.push(...run.map((index) => high[index]), ...back.map((index) => low[index]), null);
    run = [];
  };
  seconds.forEach((_, index) => {
    if (low[index] !== null && high[index] !== null) run.push(index);
    else close();
  });
  close();
  return { type: "scatter", mode: "none", x, y, fill: "toself", fillcolor: `${data.looks[row.look].color}33`, hoverinfo: "skip" };
}

const OVER_TIME = { xaxis: { title: { text: "seconds since the stream began" } }, yaxis: { rangemode: "tozero" }, hovermode: "closest" };

/** Quantiles of the latency as one plot: half of the elements, all but the slowest in a hundred, all. */
function bandOverTime(rows) {
  const [half, most, all] = data.band;
  const has = (name) => rows.some((row) => row.samples.columns[name]);
  if (!data.band.some(has)) return [];
  const parts = [has(half) ? "line at half of the elements" : "", has(half) && has(most) ? "band up to 99 % of them" : "", has(all) ? "dots at the longest" : ""];
  return [titled(`Latency (ms): ${parts.filter(Boolean).join(", ")}`, () => ({
    traces: rows.filter(isShown).flatMap((row) => {
      const of = (name) => row.samples.columns[name];
      const dots = { mode: "markers", marker: { color: data.looks[row.look].color, size: 4, opacity: 0.7 } };
      return [
        ...(of(half) && of(most) ? [between(row, of(half), of(most))] : []),
        ...(of(half) ? [timeTrace(row, of(half))] : []),
        ...(of(all) ? [{ ...timeTrace(row, of(all)), ...dots }] : []),
      ];
    }),
    layout: OVER_TIME,
  }))];
}

function showSeries() {
  const rows = settings.filter((row) => row.samples && row.samples.columns.seconds.length);
  if (!rows.length) return leaveOut("series");
  const cases = grouped(rows, (row) => row.case);
  const choices = [...cases.keys()];
  legend("series");
  function update(chosen) {
    part("series", "controls").replaceChildren(choice("of", choices.map((one) => [one, one]), chosen, update));
    atThreads("series", cases.get(chosen), (inside) => showOverTime(chosen, inside));
  }
  update(choices[0]);
}

/** Links to the pages of runs, which show their stages. */
function pagesOf(rows) {
  const links = rows.filter((row) => row.page).flatMap((row, index) =>
    [index ? ", " : "", make("a", { href: row.page }, `${nameOf(row)}, run ${row.samples.run}`)]);
  return links.length ? make("p", { class: "pages" }, "The stages of a run, on its page: ", ...links) : null;
}

function showOverTime(title, rows) {
  const found = unique(rows.flatMap((row) => Object.keys(row.samples.columns))).filter((name) => name !== "seconds" && !data.band.includes(name));
  const known = Object.keys(data.columns);
  const order = [...known.filter((name) => found.includes(name)), ...found.filter((name) => !known.includes(name))];
  const rate = rows[0].frequency;
  const line = { type: "line", xref: "paper", x0: 0, x1: 1, y0: rate, y1: rate, line: { color: colour("pale"), width: 1, dash: "dash" } };
  const of = (row, name) => row.samples.columns[name];
  const figures = order.filter((name) => rows.some((row) => of(row, name)?.some((value) => value))).map((name) => {
    const [heading, factor] = data.columns[name] ?? [name, 1];
    const scaled = (row) => of(row, name).map((value) => (value === null ? null : value * factor));
    return titled(heading, () => ({
      traces: rows.filter((row) => isShown(row) && of(row, name)).map((row) => timeTrace(row, scaled(row))),
      layout: { ...OVER_TIME, shapes: name === "throughput" && rate !== null ? [line] : [] },
    }));
  });
  const widest = Math.max(...rows.map((row) => row.samples.width));
  const asked = rate !== null ? "The dashed line is the rate that was asked for. " : "";
  const thinned = widest > 1 ? `Of each ${widest} samples or fewer their mean is drawn.` : "";
  const note = asked || thinned ? make("p", {}, asked + thinned) : null;
  replace(part("series", "body"), make("div", {}, pagesOf(rows), card(title, [...figures, ...bandOverTime(rows)], note)));
}
