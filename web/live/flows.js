// How many items a second go through each edge. Stages count what they take and give, not what each edge carries.

/** The rates of edges (`from`, `to`), found from those of stages where only one edge is left that is not known. */
export function flows(edges, stages) {
  const rates = edges.map(() => undefined);
  const into = stages.map(() => []), outOf = stages.map(() => []);
  edges.forEach(({ from, to }, index) => {
    outOf[from].push(index);
    into[to].push(index);
  });
  const settle = (group, whole) => {
    const unknown = group.filter((index) => rates[index] === undefined);
    if (unknown.length !== 1 || whole === undefined) return false;
    rates[unknown[0]] = Math.max(0, whole - group.reduce((sum, index) => sum + (rates[index] ?? 0), 0));
    return true;
  };
  for (let again = true; again;) {
    again = false;
    stages.forEach((stage, index) => { again = settle(into[index], stage.rate) || again; });
    if (!again) stages.forEach((stage, index) => { again = settle(outOf[index], stage.out) || again; });
  }
  return rates.map((rate, index) => rate ?? guess(edges[index], into, outOf, stages));
}

// What is left: equal parts.
function guess({ from, to }, into, outOf, stages) {
  return Math.min((stages[from].out ?? Infinity) / outOf[from].length, (stages[to].rate ?? 0) / into[to].length);
}
