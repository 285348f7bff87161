// Where the data come from. A source has `start(listener)` and `stop()`; it tells its listener, in this order:
//   connected()    from now on there are news
//   graph(G)       the graph, at first and whenever it is another one
//   sample(S)      each sample, those of the past first
//   end(S)         the run is over; nothing follows
//   lost()         no news any more; it goes on trying, and tells `connected` again
// This one listens to the program itself. That of a saved run (saved.js) tells `saved()` in place of `connected()`.

/** Silence that is checked, and how long the check may take. Together: how late a loss is noticed at most. */
export const SILENCE_MS = 900;
export const CHECK_MS = 500;
const LOOK_MS = 250;
const AGAIN_MS = 700;

/** How long a server may be gone until the listener knows, if nothing tells the browser. */
export const LOST_AFTER_MS = SILENCE_MS + LOOK_MS + CHECK_MS;

/** The program that serves this page. */
export function liveSource(base = "") {
  let events, listener, timer, run;
  let since = 0, heard = 0, over = false, checking = false;

  function open() {
    heard = performance.now();
    events = new EventSource(`${base}api/events?since=${since}`);
    const on = (name, does) => events.addEventListener(name, ({ data }) => {
      heard = performance.now();
      does(JSON.parse(data));
    });
    on("graph", (graph) => {
      const now = `${graph.host} ${graph.pid} ${graph.began_unix_ms}`;
      if (run !== undefined && run !== now && since) {  // Another run at the same address: all of it is news.
        since = 0;
        run = now;
        events.close();
        return open();
      }
      run = now;
      listener.connected();
      listener.graph(graph);
    });
    on("sample", (sample) => {
      if (sample.time_ns <= since) return;
      since = sample.time_ns;
      listener.sample(sample);
    });
    on("end", (sample) => {
      over = true;
      stop();
      if (sample && sample.time_ns > since) listener.sample(sample);
      listener.end(sample);
    });
    events.onerror = lose;
  }

  function lose() {
    if (over || !events) return;
    events.close();
    events = undefined;
    listener.lost();
    setTimeout(() => over || events || open(), AGAIN_MS);
  }

  // A server that says nothing is asked: the browser does not see a connection that is dead but open.
  async function look() {
    if (checking || !events || performance.now() - heard < SILENCE_MS) return;
    checking = true;
    const asked = events;
    try {
      await fetch(`${base}healthz`, { signal: AbortSignal.timeout(CHECK_MS), cache: "no-store" });
      heard = performance.now();
    } catch {
      if (events === asked) lose();
    } finally {
      checking = false;
    }
  }

  function stop() {
    clearInterval(timer);
    events?.close();
    events = undefined;
  }

  return {
    start(to) {
      listener = to;
      timer = setInterval(look, LOOK_MS);
      open();
    },
    stop() {
      over = true;
      stop();
    },
  };
}
