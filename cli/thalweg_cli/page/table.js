// The table of everything.

function showTable() {
  const several = (name) => unique(data.rows.map((row) => row[name])).length > 1;
  const anyOf = (name) => data.rows.some((row) => row[name] !== null && row[name] !== "");
  const columns = [
    ["program", (row) => row.program], ...(data.sets.length > 1 ? [["set", (row) => row.set, true]] : []),
    ["input", (row) => row.input], ...(anyOf("nprocs") ? [["ranks", (row) => row.nprocs, true]] : []),
    ["threads", (row) => row.nthreads, true], ["really", (row) => row.threads, true],
    ...["batch", "batch_bytes", "batch_interval", "frequency"].filter(anyOf).map((name) => [name.replace("_", " "), (row) => row[name], true]),
    ...[["pattern", "freq_pattern"], ["purpose", "purpose"], ["arguments", "user_args"], ["adapts", "adapt"]].filter(([, name]) => anyOf(name))
      .map(([title, name]) => [title, (row) => row[name]]),
    ...(several("held") ? [["held", (row) => row.held]] : []),
    ["runs", (row) => row.runs, true], ["failed", (row) => row.failed, true], ["verified", (row) => row.verified],
    ...data.metrics.map((metric) => [metric.unit ? `${metric.title} (${metric.unit})` : metric.title,
      (row) => (row.values[metric.name] ? shownOf(row.values[metric.name]).at : null), true,
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
    if (range && range[3] > 1) node.append(make("br"), make("small", {}, extentText(range)));
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
  again.push(fill);
  fill();
  part("table", "body").append(make("table", {}, make("thead", {}, head), body));
}
