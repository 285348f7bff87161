// A run of the past, which is in the page itself: `./thalweg view` writes such pages, and programs do with `.save`.

/** The source of what an element of the page holds as JSON, as `/api/state` gives it; undefined without one. */
export function savedSource(element) {
  if (!element) return undefined;
  const { graph, history } = JSON.parse(element.textContent);
  return {
    start(listener) {
      listener.saved();
      listener.graph({ ...graph, control: false });
      for (const sample of history) listener.sample(sample);
      if (history.at(-1).done) listener.end(history.at(-1));
    },
    stop() {},
  };
}
