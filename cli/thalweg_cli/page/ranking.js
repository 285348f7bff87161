// How interfaces compare: a bar for each, and a table of all cases.

function showRanking() {
  const names = Object.keys(data.rankings);
  if (!names.length) return leaveOut("ranking");
  let [name, degree] = [names.includes("throughput") ? "throughput" : names[0], "best"];
  const found = () => data.rankings[name][degree] ?? { cases: [], entries: [], few: false };
  const degrees = unique(Object.values(data.rankings).flatMap((one) => Object.keys(one)))
    .filter((one) => one !== "best").sort((a, b) => a - b);
  const texts = [["best", "its best number of threads"], ...degrees.map((one) => [one, `${one} threads asked for`])];
  const update = () => { showPlaces(found(), metrics.get(name).unit); showShares(found()); };
  part("ranking", "controls").append(
    choice("by", names.map((one) => [one, metrics.get(one).words]), name, (value) => { name = value; update(); }),
    choice("at", texts, degree, (value) => { degree = value; update(); }),
  );
  update();
}

const FEW = "Where there are fewer than five runs nothing can be said of who is better, and nobody has a place for it.";

function showPlaces({ cases, entries, few }, unit) {
  const body = part("ranking", "body");
  if (!cases.length) return body.replaceChildren(make("p", {}, "Nothing was measured there."));
  const share = (of) => ({ class: "number share", style: `--part:${100 * of}%` });
  const cell = (score) => score
    ? make("td", { ...share(score.ratio), title: `${plain(score.value)} ${unit}, ${score.way}, ${score.nthreads} threads` },
      score.best ? make("b", {}, score.ratio.toFixed(3)) : score.ratio.toFixed(3), score.ties ? make("small", {}, " tied") : null)
    : make("td", { class: "number" }, "-");
  const rows = entries.map((one) => {
    const there = one.scores.filter(Boolean).length;
    return make("tr", {},
      make("td", {}, markShape(data.looks[one.interface]), ` ${one.interface}`),
      make("td", { class: "number" }, one.place || "-"),
      make("td", share(one.mean), one.mean.toFixed(3), there < cases.length ? make("small", {}, ` ${there} of ${cases.length}`) : null),
      ...one.scores.map(cell));
  });
  const titles = cases.map((one) => (data.sets.length > 1 ? `${one.name} (set ${one.set})` : one.name));
  const head = make("tr", {}, ...["interface", "place", "all", ...titles].map((one, index) => make("th", { class: index ? "number" : "" }, one)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  body.replaceChildren(...(few ? [make("p", { class: "care" }, FEW)] : []), make("div", { class: "scroll" }, table));
}

function showShares({ cases, entries }) {
  if (!cases.length) return replace(part("ranking", "plot"));
  const upwards = [...entries].reverse();
  const dots = upwards.flatMap((one) => one.scores.map((score, index) => score && [one, score, cases[index].name]).filter(Boolean));
  replace(part("ranking", "plot"), titled("Share of the best: a bar over all cases, a tick for each", () => ({
    traces: [
      { type: "bar", orientation: "h", y: upwards.map((one) => safe(one.interface)), x: upwards.map((one) => one.mean),
        marker: { color: upwards.map((one) => data.looks[one.interface].color), opacity: 0.75 },
        hovertemplate: "%{x:.3f} over all<extra></extra>" },
      { type: "scatter", mode: "markers", y: dots.map(([one]) => safe(one.interface)), x: dots.map(([, score]) => score.ratio),
        text: dots.map(([, score, title]) => safe(`${title}: ${score.way}, ${score.nthreads} threads`)),
        marker: { color: colour("ink"), size: 7, symbol: "line-ns-open", line: { width: 1.5 } },
        hovertemplate: "%{x:.3f}<br>%{text}<extra></extra>" },
    ],
    layout: {
      margin: { l: 60, r: 12, t: 24, b: 30 },
      xaxis: { range: [0, 1.05] },
      yaxis: { showgrid: false, tickvals: upwards.map((one) => safe(one.interface)),
        ticktext: upwards.map((one) => `${safe(one.interface)}${one.place ? `, ${one.place}` : ""} `) },
    },
  }), 70 + 34 * Math.max(upwards.length, 3)));
}
