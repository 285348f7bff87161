// The list of what happened, latest first. A click shows the graph as it was around then.

import { el } from "./dom.js";
import { clock } from "./units.js";

const SHOWN = 60;
const AROUND_S = 4;

/** Fills the list; `look(from, to)` hears which interval the user wants to see. Without news it says of when. */
export function log(place, look, span) {
  let shown = -1, of;
  return {
    show(events) {
      if (of === events && shown === events.version) return;
      [of, shown] = [events, events.version];
      const latest = events.list.slice(-SHOWN).reverse();
      place.replaceChildren(...latest.map((event) => el("li", { class: event.kind },
        el("button", { type: "button", onclick: () => look(event.time - AROUND_S, (event.until ?? event.time) + AROUND_S) },
          el("time", {}, clock(event.time)), el("span", {}, event.stage ? `${event.stage}: ${event.text}` : event.text)))));
      if (!latest.length) place.append(el("li", { class: "none" }, `No errors, changes or pauses in ${span}.`));
    },
  };
}
