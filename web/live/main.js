// Puts the page together: news come from the source, go into the history, and are shown once per frame.

import { control, looker, takeToken } from "./control.js";
import { curves } from "./curves.js";
import { messages, sureDialog, tokenDialog } from "./dialogs.js";
import { setShown, setText } from "./dom.js";
import { graphView, limitingStage } from "./graph.js";
import { header, stateOf } from "./header.js";
import { History } from "./history.js";
import { Interval } from "./interval.js";
import { log } from "./log.js";
import { panel } from "./panel.js";
import { ranks } from "./ranks.js";
import { recording } from "./recording.js";
import { savedSource } from "./saved.js";
import { sharesOf } from "./shares.js";
import { liveSource } from "./source.js";
import { summary } from "./summary.js";
import { tap } from "./tap.js";
import { themeSwitch } from "./theme.js";
import { toolbar } from "./toolbar.js";
import { percent } from "./units.js";

const FIRST_S = 5;
const PACE_MS_PER_STAGE = 4;
const REASONS = {
  skew: "uneven keys or items", source: "the source", sink: "the sink", serial_stage: "a serial stage", replicas: "the replicas of a farm", workers: "the workers", machine: "the machine",
  grain: "small items", order: "keeping the order", schedule: "nothing, it keeps up", unknown: "nothing that stands out",
};

const part = (id) => document.getElementById(id);
const parts = (...ids) => Object.fromEntries(ids.map((id) => [id, part(id)]));

const saved = savedSource(part("saved"));
const history = saved ? new History(Infinity) : new History();
const interval = new Interval(saved ? Infinity : FIRST_S);
if (saved) setText(part("span"), "The whole run");
let connection = "connecting", chosen, figures, figuresOf, waiting = false, anew = false, drawnAt = -Infinity, later;

takeToken();
const say = messages(part("message"));
const askToken = tokenDialog(part("token"));
const order = control(askToken);
const items = tap(part("tap"), looker(askToken));
const sure = sureDialog(part("sure"));
const now = () => history.times.at(-1) ?? 0;

const head = header(parts("title", "state", "figures", "pause", "resume", "stop"), async (name) => {
  if (name !== "stop" || (await sure())) say(await order(name));
});
const view = graphView(part("graph"), parts("larger", "smaller", "fit"), {
  choose,
  across: (whole) => document.querySelector("main").classList.toggle("across", whole),
  redrawn: () => soon(true),
  look: (from, to) => items.open(history.graph.stages[from].name, history.graph.stages[to].name),
});
const change = async (name, stage, what) => say(await order(name, { stage: history.graph.stages[stage].name, ...what }));
const stages = panel(part("panel"), choose, (stage, replicas) => change("replicas", stage, { replicas }), (stage, rate) => change("rate", stage, { rate }),
  (stage, limits) => change("batch", stage, limits), items.open);
const processes = ranks(part("ranks"));
const happened = log(part("events"), (from, to) => interval.hold(from, Math.min(to, now())), saved ? "this run" : "the last ten minutes");
const plots = curves(part("curves"), part("pointed"), history, interval, choose);
const recorded = recording(parts("executions", "record", "begin", "seconds", "facts", "file", "hint", "timeline", "whole", "back", "on", "out", "in", "shown", "bars", "bar"), order, say, () => history.graph);
const tools = toolbar(parts("metric", "length", "earlier", "later", "follow", "when", "legend"), interval, now, () => soon(true));
interval.onChange(() => soon(true));
themeSwitch(part("theme"), () => {
  plots.recolour();
  recorded.recolour();
  soon(true);
});
part("limit-stage").addEventListener("click", () => choose(limitingStage(history.graph, figures.limit)));
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  if (chosen !== undefined) choose(undefined);
  else interval.follow();
});
document.addEventListener("visibilitychange", () => soon(true));

function choose(index) {
  chosen = index === chosen ? undefined : index;
  soon(true);
}

/** Shows what is new with the next frame: all of it if `everything` may differ. */
function soon(everything = false) {
  anew ||= everything;
  if (waiting || document.hidden) return;
  waiting = true;
  requestAnimationFrame(show);
}

function show() {
  waiting = false;
  head.show(history, connection);
  setShown(part("lost"), stateOf(history, connection) === "lost");
  if (!history.graph) return;
  happened.show(history.events);
  recorded.show(Boolean(history.graph.control) && connection === "connected" && !history.ended);
  setShown(part("waiting"), !history.length);
  if (history.length && paced()) {
    const [from, to] = interval.at(now());
    const asked = `${from} ${to} ${history.events.version}`;
    if (asked !== figuresOf || !figures) figures = summary(history, from, to);
    figuresOf = asked;
    const range = view.show(figures, tools.metric, chosen, (index) => {
      const colour = plots.colourOf(index);
      return colour && `var(--${colour})`;
    });
    tools.show(range);
    stages.show(history.graph, figures, history.last, chosen, connection === "connected" && !history.ended,
      chosen === undefined ? undefined : sharesOf(history, chosen, figures.begin, figures.end));
    processes.show(history.last);
    showLimit(figures.limit);
    plots.show(chosen, anew);
    anew = false;
  }
}

// A graph of many stages is drawn less often, unless the user changes something: it costs the browser more.
function paced() {
  const rest = PACE_MS_PER_STAGE * history.graph.stages.length - (performance.now() - drawnAt);
  clearTimeout(later);
  if (!anew && rest > 0) {
    later = setTimeout(soon, rest);
    return false;
  }
  drawnAt = performance.now();
  return true;
}

function showLimit(limit) {
  setShown(part("limit"), limit !== undefined);
  if (!limit) return;
  const stage = limitingStage(history.graph, limit);
  part("limit").classList.toggle("free", stage === undefined);
  const reason = REASONS[limit.reason] ?? limit.reason;
  setText(part("limit-reason"), stage === undefined ? `Limit: ${reason}` : "Limit:");
  setShown(part("limit-stage"), stage !== undefined);
  setText(part("limit-stage"), limit.stage);
  setText(part("limit-numbers"), stage === undefined ? "" : [reason, `${percent(limit.utilisation)} busy`, limit.possible_gain > 1.005 && `up to ${limit.possible_gain.toFixed(1)}× faster without it`].filter(Boolean).join(" · "));
  setText(part("limit-advice"), limit.advice);
}

// A graph that got stages at its end, or lost them, keeps the history of the others.
const goesOn = (before, after) => before.every((stage, index) => !after[index] || stage.name === after[index].name);
const sameRun = (one, other) => one && one.pid === other.pid && one.host === other.host && one.began_unix_ms === other.began_unix_ms;

(saved ?? liveSource()).start({
  saved() {
    connection = "saved";
  },
  connected() {
    connection = "connected";
    soon();
  },
  lost() {
    connection = "lost";
    soon();
  },
  graph(graph) {
    if (!sameRun(history.graph, graph) || !goesOn(history.graph.stages, graph.stages)) {
      history.reset(graph);
      chosen = undefined;
    }
    if (chosen >= graph.stages.length) chosen = undefined;
    history.graph = graph;
    figures = undefined;
    view.set(graph);
    soon(true);
  },
  sample(sample) {
    history.add(sample);
    processes.add(sample);
    soon();
  },
  end(sample) {
    history.ended = true;
    history.events.end(sample ? sample.time_ns / 1e9 : now());
    soon(true);
  },
});
soon();
