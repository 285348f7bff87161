// What is to be known of the numbers, where they were measured; and the beginning of the page.

function showNotes() {
  const groups = [...grouped(data.notes, (note) => note.kind)].map(([kind, inside]) => {
    const list = make("ul", { class: "notes" });
    for (const note of inside) {
      const item = make("li", { class: note.level }, note.text);
      if (note.details.length)
        item.append(make("details", {}, make("summary", {}, "which"), make("pre", {}, note.details.join("\n"))));
      list.append(item);
    }
    return make("div", {}, make("h3", {}, kind), list);
  });
  part("notes", "body").append(...(groups.length ? groups : [make("p", {}, "Nothing to note.")]));
}

function showCircumstances() {
  const several = (value) => Array.isArray(value) ? value.join("\n") : String(value);
  const names = unique(data.sets.flatMap((one) => Object.keys(one.told)));
  const rows = names.map((name) => make("tr", {}, make("th", {}, name),
    ...data.sets.map((one) => make("td", { style: "white-space: pre-wrap" }, several(one.told[name] ?? "")))));
  const head = make("tr", {}, make("th"), ...data.sets.map((one) => make("th", {}, `set ${one.name}`)));
  part("circumstances", "body").append(make("table", { class: "wide" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}

const shown = document.getElementById("values");
shown.value = values;
shown.addEventListener("change", () => show(shown.value));

showNotes();
showRanking();
showScaling();
showQuantiles();
showOperators();
showSeries();
showCurves();
showTable();
showCircumstances();
document.documentElement.dataset.ready = "yes";
