"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const metrics = new Map(data.metrics.map((metric) => [metric.name, metric]));
  const hidden = new Set();
  const settings = data.rows.filter((row) => row.purpose !== "search");  // Points of a search have a part of their own.
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // ---- parts of the page

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  function part(section, name) {
    return document.querySelector(`#${section} .${name}`);
  }

  function leaveOut(section) {
    document.getElementById(section).remove();
    document.querySelector(`nav a[href="#${section}"]`)?.remove();
  }

  /** A labelled choice; `change` is called with the value. Options are [value, text]. */
  function choice(text, options, value, change) {
    const select = make("select", { onchange: () => change(select.value) });
    for (const [key, shown] of options) select.append(make("option", { value: key }, shown));
    select.value = value;
    return make("label", {}, `${text} `, select);
  }

  function unique(values) {
    return [...new Set(values)];
  }

  function plain(value) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(3);
    return String(Number(value.toPrecision(4)));
  }

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  // ---- plots: each is drawn when it comes near the screen, and again when something it shows changes

  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) entry.target.drawNow?.();
    },
    { rootMargin: "1000px" },
  );

  function layout(more) {
    const axis = { gridcolor: colour("rule"), zerolinecolor: colour("rule"), linecolor: colour("rule"), automargin: true };
    const { xaxis, yaxis, ...rest } = more;
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("ink"), family: "system-ui, sans-serif", size: 12 },
      hoverlabel: { bgcolor: colour("paper"), bordercolor: colour("rule"), font: { color: colour("ink") } },
      margin: { l: 56, r: 12, t: 34, b: 44 },
      height: 320,
      showlegend: false,
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("rule"), activecolor: colour("pale") },
      xaxis: { ...axis, ...xaxis },
      yaxis: { ...axis, ...yaxis },
      ...rest,
    };
  }

  /** Puts a plot into a node. `figure` gives what is drawn each time: {traces, layout}. */
  function plot(node, figure) {
    let drawn = false;
    const draw = () => {
      const { traces, layout: wanted } = figure();
      // Only these buttons: others would send the plot to a site.
      const modeBarButtons = [["toImage", "zoom2d", "pan2d", "resetScale2d"]];
      const config = { responsive: true, displaylogo: false, modeBarButtons };
      Plotly.react(node, traces, layout(wanted), config);
    };
    node.classList.add("plotted");
    node.drawNow = () => {
      near.unobserve(node);
      if (!drawn) draw();
      drawn = true;
    };
    node.redraw = () => drawn && draw();
    node.style.minHeight = "320px";
    near.observe(node);
  }

  /** Replaces what is in a node, and lets go of the plots that were there. */
  function replace(node, ...children) {
    for (const old of node.querySelectorAll(".plotted")) {
      near.unobserve(old);
      Plotly.purge(old);
    }
    node.replaceChildren(...children);
  }

  function redraw() {
    for (const node of document.querySelectorAll(".plotted")) node.redraw();
  }

  addEventListener("beforeprint", () => {
    for (const node of document.querySelectorAll(".plotted")) node.drawNow();
  });

  // ---- how interfaces look

  function setsOpen(id) {
    const place = data.sets.length - 1 - data.sets.findIndex((one) => one.id === id);
    return ["", "-open", "-open-dot"][Math.min(place, 2)];
  }

  function markOf(row) {
    const look = data.looks[row.interface];
    return { symbol: look.symbol + setsOpen(row.set), size: 9, color: look.color, line: { color: look.color, width: 1.5 } };
  }

  function lineOf(row) {
    return { color: data.looks[row.interface].color, dash: data.dashes[row.composition] ?? "solid", width: 2 };
  }

  function nameOf(row) {
    const each = row.nprocs && row.nthreads > 1 ? `, ${row.nthreads} threads a rank` : "";
    const name = [row.interface, row.composition].filter(Boolean).join(" ") + each;
    return data.sets.length > 1 ? `${name}, set ${row.set}` : name;
  }

  const SHAPES = {
    circle: "M6 1a5 5 0 1 0 .01 0z", square: "M1 1h10v10h-10z", diamond: "M6 0l6 6-6 6-6-6z",
    "triangle-up": "M6 1l6 10h-12z", "triangle-down": "M6 11l6-10h-12z", "triangle-left": "M1 6l10-6v12z",
    "triangle-right": "M11 6l-10-6v12z", cross: "M4 0h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    x: "M3 0l3 3 3-3 3 3-3 3 3 3-3 3-3-3-3 3-3-3 3-3-3-3z", star: "M6 0l2 4 4 .5-3 3 .8 4.5-3.8-2.2-3.800 2.200.8-4.500-3-3 4-.5z",
    pentagon: "M6 0l6 4.600-2.300 7.400h-7.400l-2.300-7.400z", hexagon: "M6 0l5.200 3v6l-5.200 3-5.200-3v-6z",
    octagon: "M4 0h4l4 4v4l-4 4h-4l-4-4v-4z",
  };
  const DASHES = { solid: "", dash: "7 5", dot: "2 4", dashdot: "7 4 2 4", longdash: "12 5", longdashdot: "12 4 2 4" };

  function drawing(width, inner) {
    const holder = make("span");
    holder.innerHTML = `<svg width="${width}" height="12" viewBox="0 0 ${width} 12" aria-hidden="true">${inner}</svg>`;
    return holder;
  }

  function markShape(look) {
    return drawing(12, `<path d="${SHAPES[look.symbol] ?? SHAPES.circle}" fill="${look.color}"/>`);
  }

  function dashShape(dash) {
    return drawing(36, `<path d="M0 6h36" stroke="currentColor" stroke-width="2" stroke-dasharray="${DASHES[dash]}"/>`);
  }

  /** The name under which a set is hidden. */
  function setKey(id) {
    return `set ${id}`;
  }

  function isShown(row) {
    return !hidden.has(row.interface) && !hidden.has(setKey(row.set));
  }

  /** A legend whose entries show and hide an interface, or a set, in all plots. */
  function legend(section) {
    const node = part(section, "legend");
    const entry = (key, ...content) => node.append(make("button", {
      "aria-pressed": "true", title: "show or hide", "data-key": key,
      onclick: () => {
        if (!hidden.delete(key)) hidden.add(key);
        for (const one of document.querySelectorAll(".legend button"))
          one.setAttribute("aria-pressed", String(!hidden.has(one.dataset.key)));
        redraw();
      },
    }, ...content));
    for (const [name, look] of Object.entries(data.looks)) entry(name, markShape(look), name);
    const shown = Object.entries(data.dashes).filter(([name]) => name);
    if (shown.length > 1) for (const [name, dash] of shown) node.append(make("span", { class: "key" }, dashShape(dash), name));
    if (data.sets.length > 1)
      for (const one of data.sets)
        entry(setKey(one.id), `set ${one.name}: ${{ "": "filled", "-open": "open", "-open-dot": "open, a dot" }[setsOpen(one.id)]}`);
  }

  // ---- notes

  function showNotes() {
    const list = make("ul", { class: "notes" });
    for (const note of data.notes) {
      const item = make("li", { class: note.level }, note.text);
      if (note.details.length)
        item.append(make("details", {}, make("summary", {}, "which"), make("pre", {}, note.details.join("\n"))));
      list.append(item);
    }
    part("notes", "body").append(data.notes.length ? list : make("p", {}, "Nothing to note."));
  }

  // ---- ranking

  function showRanking() {
    const names = Object.keys(data.rankings);
    if (!names.length) return leaveOut("ranking");
    const start = names.includes("throughput") ? "throughput" : names[0];
    let [name, degree] = [start, "best"];
    const found = () => data.rankings[name][degree] ?? data.rankings[name].best ?? { cases: [], places: [] };
    const degrees = unique(Object.values(data.rankings).flatMap((one) => Object.keys(one)))
      .filter((one) => one !== "best").sort((a, b) => a - b);
    const texts = [["best", "its best number of threads"], ...degrees.map((one) => [one, `${one} threads asked for`])];
    const update = () => { table(); part("ranking", "plot").redraw(); };
    part("ranking", "controls").append(
      choice("by", names.map((one) => [one, metrics.get(one).title]), name, (value) => { name = value; update(); }),
      choice("at", texts, degree, (value) => { degree = value; update(); }),
    );
    function table() {
      const { cases, places } = found();
      const body = part("ranking", "body");
      if (!(degree in data.rankings[name])) return body.replaceChildren(make("p", {}, "Nothing was measured there."));
      const heading = (one) => (data.sets.length > 1 ? `${one.name} (set ${one.set})` : one.name);
      const unit = metrics.get(name).unit;
      const rows = places.map((place, index) => make("tr", {},
        make("td", { class: "number" }, String(index + 1)),
        make("td", {}, markShape(data.looks[place.interface]), ` ${place.interface}`),
        make("td", { class: "number share", style: `--part:${100 * place.mean}%` }, make("b", {}, place.mean.toFixed(3)),
          place.scores.includes(null) ? make("small", {}, ` ${place.scores.filter(Boolean).length} of ${cases.length}`) : null),
        ...place.scores.map((score) => score
          ? make("td", { class: "number share", style: `--part:${100 * score[0]}%`,
              title: `${plain(score[1])} ${unit}, ${score[2]}, ${score[3]} threads` }, score[0].toFixed(3))
          : make("td", { class: "number" }, "-"))));
      const head = make("tr", {}, ...["", "interface", "all", ...cases.map(heading)].map((one, index) =>
        make("th", { class: index === 1 || !one ? "" : "number" }, one)));
      body.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    }
    table();
    plot(part("ranking", "plot"), () => {
      const places = degree in data.rankings[name] ? [...found().places].reverse() : [];
      const { cases } = found();
      const dots = places.flatMap((place) => place.scores.map((score, index) => score && [place, score, cases[index].name]).filter(Boolean));
      return {
        traces: [
          { type: "bar", orientation: "h", y: places.map((place) => place.interface), x: places.map((place) => place.mean),
            marker: { color: places.map((place) => data.looks[place.interface].color), opacity: 0.75 },
            hovertemplate: "%{y}: %{x:.3f} over all<extra></extra>" },
          { type: "scatter", mode: "markers", y: dots.map((one) => one[0].interface), x: dots.map((one) => one[1][0]),
            text: dots.map((one) => `${one[2]}<br>${one[1][2]}, ${one[1][3]} threads`),
            marker: { color: colour("ink"), size: 7, symbol: "line-ns-open", line: { width: 1.5 } },
            hovertemplate: "%{y}: %{x:.3f}<br>%{text}<extra></extra>" },
        ],
        layout: {
          height: 90 + 34 * Math.max(places.length, 3), margin: { l: 150, r: 12, t: 12, b: 44 },
          xaxis: { title: { text: `${metrics.get(name).title}: share of the best (bar: all, ticks: each case)` }, range: [0, 1.05] },
          yaxis: { showgrid: false, tickvals: places.map((place) => place.interface),
            ticktext: places.map((place) => `${place.interface}  ${place.mean.toFixed(3)} `) },
        },
      };
    });
  }

  // ---- throughput and latency

  const AXES = {
    nthreads: "threads asked for", threads: "threads really there", nprocs: "ranks", batch: "elements a batch",
    batch_bytes: "bytes a batch", batch_interval: "seconds a batch", frequency: "elements a second",
  };
  const VARIED = ["nprocs", "nthreads", "batch", "batch_bytes", "batch_interval", "frequency"];
  const DEGREES = ["nthreads", "threads", "nprocs"];
  const UNITS = { nprocs: "ranks", nthreads: "threads", batch: "a batch", batch_bytes: "bytes a batch", batch_interval: "s a batch", frequency: "/s" };

  /** What rows must have in common to be in one panel, if `along` is the axis. */
  function panelOf(row, along) {
    const same = VARIED.filter((name) => name !== along && !(DEGREES.includes(along) && DEGREES.includes(name)));
    const given = same.filter((name) => row[name] !== null && !(name === "nthreads" && row.sequential))
      .map((name) => `${row[name]} ${UNITS[name]}`);
    return [row.application, row.input, ...given, row.held].filter(Boolean).join(", ");
  }

  /** Where a row stands on an axis: threads asked for are those of all ranks. */
  function placeOf(row, along) {
    if (along === "nthreads") return row.degree;
    return along === "nprocs" && row.sequential ? 1 : row[along];
  }

  function grouped(rows, key) {
    const found = new Map();
    for (const row of rows) {
      const name = key(row);
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(row);
    }
    return found;
  }

  function lines(rows, along, value, extent) {
    return [...grouped(rows.filter((row) => value(row) && isShown(row)), nameOf)].map(([name, line]) => {
      const sorted = [...line].sort((a, b) => placeOf(a, along) - placeOf(b, along));
      const [first] = sorted;
      const level = first.sequential && sorted.length === 1 && DEGREES.includes(along);
      const points = level && extent[1] > extent[0] ? [first, first] : sorted;
      const spreads = points.map(value);
      const measured = spreads.slice(0, sorted.length);  // The other end of a level line was not measured.
      return {
        type: "scatter", mode: "lines+markers", name,
        x: level && points.length === 2 ? extent : points.map((row) => placeOf(row, along)),
        y: spreads.map((spread) => spread[0]),
        error_y: { type: "data", symmetric: false, thickness: 1, width: 3, color: data.looks[first.interface].color,
          array: measured.map((spread) => spread[2] - spread[0]), arrayminus: measured.map((spread) => spread[0] - spread[1]) },
        text: points.map((row, index) => `${row.nprocs ? `${row.nprocs} ranks, ` : ""}${row.nthreads} asked, ${row.threads} there<br>${plain(spreads[index][1])} to ` +
          `${plain(spreads[index][2])} in ${spreads[index][3]} runs${row.failed ? `, ${row.failed} failed` : ""}`),
        marker: { ...markOf(first), opacity: level ? [1, 0] : 1 },
        line: { ...lineOf(first), ...(first.sequential ? { dash: "dot", width: 1.5 } : {}) },
        hovertemplate: `<b>${name}</b>: %{y:.4g}<br>%{text}<extra></extra>`,
      };
    });
  }

  function showScaling() {
    if (!settings.length) return leaveOut("scaling");
    const drawn = ["throughput", "latency", "p99", "memory"].filter((name) => metrics.has(name));
    const usable = Object.keys(AXES).filter((name) =>
      name === "nthreads" || name === "threads" || name === data.by || unique(settings.map((row) => row[name])).filter((one) => one !== null).length > 1);
    let along = data.by;
    let logarithmic = "no";
    legend("scaling");
    part("scaling", "controls").append(
      choice("over", usable.map((name) => [name, AXES[name]]), along, (value) => { along = value; update(); }),
      choice("latency", [["no", "linear"], ["yes", "logarithmic"]], logarithmic, (value) => { logarithmic = value; redraw(); }),
    );
    function update() {
      const body = part("scaling", "body");
      replace(body);
      const rows = settings.filter((row) => placeOf(row, along) !== null);
      for (const [panel, inside] of grouped(rows, (row) => panelOf(row, along))) {
        const plots = make("div", { class: "plots" });
        const xs = inside.map((row) => placeOf(row, along));
        const extent = [Math.min(...xs), Math.max(...xs)];
        for (const name of drawn) {
          const value = (row) => row.values[name];
          if (!inside.some(value)) continue;
          const metric = metrics.get(name);
          const node = make("div");
          plots.append(node);
          plot(node, () => {
            const log = logarithmic === "yes" && (name === "latency" || name === "p99");
            return {
              traces: lines(inside, along, value, extent),
              layout: {
                title: { text: `${metric.title} (${metric.unit}), ${metric.more_is_better ? "more" : "less"} is better`, font: { size: 13 }, x: 0, xref: "paper" },
                xaxis: { title: { text: AXES[along] }, ...(unique(xs).length <= 12 ? { tickvals: unique(xs) } : {}) },
                yaxis: log ? { type: "log", dtick: 1 } : { rangemode: "tozero" },
                hovermode: "closest",
              },
            };
          });
        }
        if (plots.children.length) body.append(make("div", { class: "card" }, make("h3", {}, panel), plots));
      }
    }
    update();
  }

  // ---- distributions of latency

  function percent(value) {
    return -Math.log10(1 - value / 100);
  }

  function showQuantiles() {
    const rows = settings.filter((row) => row.quantiles.length);
    if (!rows.length) return leaveOut("quantiles");
    const degrees = unique(rows.filter((row) => !row.sequential).map((row) => row.degree)).sort((a, b) => a - b);
    let degree = degrees.at(-1) ?? 1;
    legend("quantiles");
    if (degrees.length)
      part("quantiles", "controls").append(choice("at", degrees.map((one) => [one, `${one} threads asked for`]), degree,
        (value) => { degree = Number(value); update(); }));
    function update() {
      const plots = make("div", { class: "plots" });
      const chosen = rows.filter((row) => row.sequential || row.degree === degree);
      for (const [panel, inside] of grouped(chosen, (row) => panelOf(row, "nthreads"))) {
        const node = make("div");
        plots.append(make("div", { class: "card" }, make("h3", {}, panel), node));
        const ticks = unique(inside.flatMap((row) => row.quantiles.map((one) => one[0]))).sort((a, b) => a - b);
        plot(node, () => ({
          traces: inside.filter(isShown).map((row) => ({
            type: "scatter", mode: "lines+markers", name: nameOf(row),
            x: row.quantiles.map((one) => percent(one[0])), y: row.quantiles.map((one) => one[1]),
            error_y: { type: "data", symmetric: false, thickness: 1, width: 3, color: data.looks[row.interface].color,
              array: row.quantiles.map((one) => one[3] - one[1]), arrayminus: row.quantiles.map((one) => one[1] - one[2]) },
            marker: markOf(row), line: row.sequential ? { ...lineOf(row), dash: "dot" } : lineOf(row),
            text: row.quantiles.map((one) => `p${one[0]}`),
            hovertemplate: `<b>${nameOf(row)}</b>, %{text}: %{y:.4g} ms<extra></extra>`,
          })),
          layout: {
            title: { text: "latency (ms), less is better", font: { size: 13 }, x: 0, xref: "paper" },
            xaxis: { tickvals: ticks.map(percent), ticktext: ticks.map((one) => `p${one}`) },
            yaxis: { type: "log", dtick: 1 },
          },
        }));
      }
      replace(part("quantiles", "body"), plots);
    }
    update();
  }

  // ---- over time

  function showSeries() {
    const rows = settings.filter((row) => row.samples && row.samples.columns.seconds.length);
    if (!rows.length) return leaveOut("series");
    const cases = grouped(rows, (row) => `${panelOf(row, "nthreads")}`);
    const choices = [...cases.keys()];
    let chosen = choices[0];
    let degree = null;
    legend("series");
    const controls = part("series", "controls");
    function degreesHere() {
      return unique(cases.get(chosen).filter((row) => !row.sequential).map((row) => row.degree)).sort((a, b) => a - b);
    }
    function update() {
      const degrees = degreesHere();
      if (!degrees.includes(degree)) degree = degrees.at(-1) ?? 1;
      controls.replaceChildren(
        choice("of", choices.map((one) => [one, one]), chosen, (value) => { chosen = value; update(); }),
        ...(degrees.length ? [choice("at", degrees.map((one) => [one, `${one} threads asked for`]), degree,
          (value) => { degree = Number(value); update(); })] : []),
      );
      const inside = cases.get(chosen).filter((row) => row.sequential || row.degree === degree);
      const widest = Math.max(...inside.map((row) => row.samples.width));
      const there = unique(inside.flatMap((row) => Object.keys(row.samples.columns))).filter((name) => name !== "seconds");
      const known = Object.keys(data.columns);
      const order = [...known.filter((name) => there.includes(name)), ...there.filter((name) => !known.includes(name))];
      const plots = make("div", { class: "plots" });
      for (const name of order) {
        const [title, factor] = data.columns[name] ?? [name, 1];
        if (!inside.some((row) => row.samples.columns[name]?.some((value) => value))) continue;
        const node = make("div");
        plots.append(node);
        plot(node, () => ({
          traces: inside.filter((row) => isShown(row) && row.samples.columns[name]).map((row) => ({
            type: "scatter", mode: "lines", name: nameOf(row), connectgaps: true,
            x: row.samples.columns.seconds, y: row.samples.columns[name].map((value) => value === null ? null : value * factor),
            line: { ...lineOf(row), width: 1.5, ...(row.sequential ? { dash: "dot" } : {}) },
            hovertemplate: `<b>${nameOf(row)}</b>, run ${row.samples.run}: %{y:.4g}<br>%{x:.3g} s<extra></extra>`,
          })),
          layout: {
            title: { text: title, font: { size: 13 }, x: 0, xref: "paper" },
            xaxis: { title: { text: "seconds since the stream began" } }, yaxis: { rangemode: "tozero" },
            shapes: name === "throughput" && inside[0].frequency !== null
              ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: inside[0].frequency, y1: inside[0].frequency, line: { color: colour("pale"), width: 1, dash: "dash" } }]
              : [],
          },
        }));
      }
      const asked = inside[0].frequency !== null ? "The dashed line is the rate that was asked for. " : "";
      const thinned = widest > 1 ? `Of each ${widest} samples or fewer their mean is drawn.` : "";
      replace(part("series", "body"), make("div", { class: "card" }, make("h3", {}, chosen), plots,
        asked || thinned ? make("p", {}, asked + thinned) : null));
    }
    update();
  }

  // ---- sustainable throughput

  function showCurves() {
    if (!data.curves.length) return leaveOut("sustainable");
    legend("sustainable");
    let metric = "p99";
    const body = part("sustainable", "body");
    part("sustainable", "controls").append(
      choice("latency", [["p99", "p99"], ["latency", "mean"]], metric, (value) => { metric = value; redraw(); }));
    const label = (curve) => `${nameOf(curve)}, ${curve.nthreads} threads`;
    const headings = ["program", "threads", "unthrottled (/s)", "sustainable (/s)", "share (%)", "not at (/s)",
      "p99 at low load (ms)", "bound of p99 (ms)", "bounded in runs", ""];
    const cells = (curve) => [nameOf(curve), curve.nthreads, plain(curve.unthrottled), plain(curve.rate) || "-",
      curve.rate ? plain(100 * curve.rate / curve.unthrottled) : "-", plain(curve.above) || "-",
      plain(curve.low_p99_ms), plain(curve.bound_ms), curve.bounded, curve.remark];
    const is_text = (index) => index === 0 || index === headings.length - 1;
    for (const [name, inside] of grouped(data.curves, (curve) => curve.case)) {
      const node = make("div");
      const head = make("tr", {}, ...headings.map((one, index) => make("th", { class: is_text(index) ? "" : "number" }, one)));
      const rows = inside.map((curve) => make("tr", {}, ...cells(curve).map((one, index) =>
        make("td", { class: is_text(index) ? "" : "number" }, String(one)))));
      body.append(make("div", { class: "card" }, make("h3", {}, name), node,
        make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)))));
      plot(node, () => {
        const shown = inside.filter(isShown);
        const line = (x0, x1, y0, y1, yref, curve, dash) => ({ type: "line", x0, x1, y0, y1, yref, line: { color: data.looks[curve.interface].color, width: 1, dash },
          ...(yref === "y" ? { xref: "paper" } : {}) });
        return {
          traces: shown.map((curve) => {
            const points = curve.points.filter((point) => point[metric]);
            const holds = (point) => 2 * point.bounded > point.runs;
            const mark = markOf(curve);
            return {
              type: "scatter", mode: "lines+markers", name: label(curve),
              x: points.map((point) => point.rate), y: points.map((point) => point[metric][0]),
              error_y: { type: "data", symmetric: false, thickness: 1, width: 3, color: mark.color,
                array: points.map((point) => point[metric][2] - point[metric][0]), arrayminus: points.map((point) => point[metric][0] - point[metric][1]) },
              marker: { ...mark, color: points.map((point) => (holds(point) ? mark.color : colour("paper"))) },
              line: lineOf(curve),
              text: points.map((point) => `asked ${plain(point.rate)} /s, took ${plain(point.throughput?.[0])} /s<br>bounded in ${point.bounded} of ${point.runs} runs`),
              hovertemplate: `<b>${label(curve)}</b>: %{y:.4g} ms<br>%{text}<extra></extra>`,
            };
          }),
          layout: {
            title: { text: `${metric === "p99" ? "p99" : "mean latency"} (ms) over the rate`, font: { size: 13 }, x: 0, xref: "paper" },
            xaxis: { title: { text: "rate asked for (/s)" }, rangemode: "tozero" },
            yaxis: { type: "log", dtick: 1 },
            shapes: shown.flatMap((curve) => [
              ...(curve.rate ? [line(curve.rate, curve.rate, 0, 1, "paper", curve, "dash")] : []),
              ...(metric === "p99" ? [line(0, 1, curve.bound_ms, curve.bound_ms, "y", curve, "dot")] : []),
            ]),
          },
        };
      });
    }
  }

  // ---- the table of everything

  function showTable() {
    const several = (name) => unique(data.rows.map((row) => row[name])).length > 1;
    const anyOf = (name) => data.rows.some((row) => row[name] !== null && row[name] !== "");
    const columns = [
      ...(data.sets.length > 1 ? [["set", (row) => row.set, true]] : []),
      ["application", (row) => row.application], ["input", (row) => row.input], ["interface", (row) => row.interface],
      ["composition", (row) => row.composition], ...(anyOf("nprocs") ? [["ranks", (row) => row.nprocs, true]] : []),
      ["threads", (row) => row.nthreads, true], ["really", (row) => row.threads, true],
      ...["batch", "batch_bytes", "batch_interval", "frequency"].filter(anyOf).map((name) => [name.replace("_", " "), (row) => row[name], true]),
      ...["freq_pattern", "purpose"].filter(anyOf).map((name) => [name.replace("freq_", ""), (row) => row[name]]),
      ...(several("held") ? [["held", (row) => row.held]] : []),
      ["runs", (row) => row.runs, true], ["failed", (row) => row.failed, true], ["verified", (row) => row.verified],
      ...data.metrics.map((metric) => [`${metric.title} (${metric.unit})`, (row) => row.values[metric.name]?.[0] ?? null, true,
        (row) => row.values[metric.name]]),
    ];
    let [by, down, wanted] = [null, false, ""];
    const head = make("tr");
    const body = make("tbody");
    columns.forEach(([title, , number], index) => head.append(make("th", { class: number ? "number" : "", "aria-sort": "none" },
      make("button", { onclick: () => { down = by === index && !down; by = index; fill(); } }, title))));
    const compare = (one, two) => {
      const [a, b] = [columns[by][1](one), columns[by][1](two)];
      if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
      const order = columns[by][2] ? a - b : String(a).localeCompare(String(b));
      return down ? -order : order;
    };
    function cell(row, [, value, number, spread]) {
      const shown = value(row);
      const text = number && shown !== null ? plain(shown) : String(shown ?? "");
      const range = spread?.(row);
      const node = make("td", { class: number ? "number" : "" }, text);
      if (range && range[3] > 1) node.append(make("br"), make("small", {}, `${plain(range[1])} to ${plain(range[2])}`));
      return node;
    }
    function fill() {
      const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
      const text = (row) => columns.map(([, value]) => value(row)).join(" ").toLowerCase();
      const rows = data.rows.filter((row) => words.every((word) => text(row).includes(word)));
      if (by !== null) rows.sort(compare);
      [...head.children].forEach((node, index) =>
        node.setAttribute("aria-sort", index !== by ? "none" : down ? "descending" : "ascending"));
      body.replaceChildren(...rows.map((row) => make("tr", row.failed ? { class: "bad", title: row.error } : {},
        ...columns.map((column) => cell(row, column)))));
    }
    const search = make("input", { type: "search", placeholder: "words that rows must have", oninput: () => { wanted = search.value; fill(); } });
    part("table", "controls").append(make("label", {}, "only ", search));
    fill();
    part("table", "body").append(make("table", {}, make("thead", {}, head), body));
  }

  // ---- machines

  function showCircumstances() {
    const several = (value) => Array.isArray(value) ? value.join("\n") : String(value);
    const names = unique(data.sets.flatMap((one) => Object.keys(one.told)));
    const rows = names.map((name) => make("tr", {}, make("th", {}, name),
      ...data.sets.map((one) => make("td", { style: "white-space: pre-wrap" }, several(one.told[name] ?? "")))));
    const head = make("tr", {}, make("th"), ...data.sets.map((one) => make("th", {}, `set ${one.name}`)));
    part("circumstances", "body").append(make("table", { class: "wide" }, make("thead", {}, head), make("tbody", {}, ...rows)));
  }

  // ---- colours

  function remembered() {
    try { return localStorage.getItem("thalweg-theme") ?? ""; } catch { return ""; }  // Files may have no storage.
  }

  function applyTheme(wanted) {
    document.documentElement.dataset.theme = wanted || (dark.matches ? "dark" : "light");
    redraw();
  }

  const theme = document.getElementById("theme");
  theme.value = remembered();
  theme.addEventListener("change", () => {
    try { localStorage.setItem("thalweg-theme", theme.value); } catch { /* Then it is not remembered. */ }
    applyTheme(theme.value);
  });
  dark.addEventListener("change", () => applyTheme(theme.value));
  applyTheme(theme.value);

  showNotes();
  showRanking();
  showScaling();
  showQuantiles();
  showSeries();
  showCurves();
  showTable();
  showCircumstances();
  document.documentElement.dataset.ready = "yes";
})();
