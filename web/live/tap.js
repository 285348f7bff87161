// A look into the stream: the next items on an edge, as text. They are asked for while the list is open.

import { el, setShown, setText } from "./dom.js";
import { duration } from "./units.js";

const ITEMS = 10, WAIT_MS = 1000;

/** The list of items. `ask(query)` promises `{ items }` or `{ error }`, or nothing if the user gives no token. */
export function tap(place, ask) {
  const title = el("h2", { id: "tap-edge", tabindex: "-1" });
  const close = el("button", { type: "button", class: "quiet", "aria-label": "close the list of items", onclick: shut }, "✕");
  const note = el("p", { class: "chips", role: "status" });
  const list = el("ol", { class: "items", tabindex: "0", "aria-labelledby": "tap-edge" });
  const again = el("button", { type: "button", onclick: () => fill() }, "Next items");
  place.append(el("div", { class: "title" }, title, close), note, list, again);
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    shut();
  });
  let edge, turn = 0, opener;

  function shut() {
    turn++;
    setShown(place, false);
    opener?.focus?.();
  }

  async function fill() {
    const mine = ++turn;
    let seen = 0;
    list.replaceChildren();
    setText(note, "Waiting for items …");
    while (seen < ITEMS) {
      const said = await ask({ edge: edge.join(","), items: ITEMS - seen, wait: WAIT_MS });
      if (turn !== mine) return undefined;
      if (!said) return shut();
      if (said.error) return setText(note, said.error);
      for (const item of said.items) list.append(el("li", {}, el("time", {}, duration(item.at_ns)), el("code", {}, item.text)));
      seen += said.items.length;
      if (seen) setText(note, seen < ITEMS ? `${seen} of ${ITEMS} items …` : `${ITEMS} items, and when they were taken`);
    }
    return undefined;
  }

  return {
    /** Opens the list for the edge between two stages, by their names. */
    open(from, to) {
      if (place.hidden) opener = document.activeElement;
      edge = [from, to];
      setText(title, `${from} → ${to}`);
      setShown(place, true);
      title.focus();
      return fill();
    },
  };
}

/** Buttons of a stage's panel that open the list: for what comes in, or for what a source gives. */
export function tapButtons(open) {
  const node = el("div", { class: "taps", role: "group", "aria-label": "Items" });
  let shown;
  return {
    node,
    /** Shows those of a stage, if this page may look. */
    show(graph, chosen, may) {
      setShown(node, graph.control === true);
      const { inputs } = graph.stages[chosen];
      const edges = inputs.length ? inputs.map((from) => [from, chosen])
        : graph.stages.flatMap((stage, to) => (stage.inputs.includes(chosen) ? [[chosen, to]] : []));
      const names = [...new Map(edges.map(([from, to]) => [`${from} ${to}`, [graph.stages[from].name, graph.stages[to].name]])).values()];
      const key = JSON.stringify(names);
      if (key !== shown) {
        shown = key;
        node.replaceChildren(...names.map(([from, to]) => {
          const words = !inputs.length ? `Look into what it gives to ${to}` : names.length > 1 ? `Look into what it takes from ${from}` : "Look into what it takes";
          return el("button", { type: "button", onclick: () => open(from, to) }, words);
        }));
      }
      for (const button of node.children) button.disabled = !may;
    },
  };
}
