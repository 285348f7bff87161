// Plots: each is drawn when it comes near the screen, and again when something it shows changes.

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) entry.target.drawNow?.();
  },
  { rootMargin: "1000px" },
);

function layout(more) {
  const axis = { gridcolor: colour("rule"), zerolinecolor: colour("rule"), linecolor: colour("rule"), automargin: true, exponentformat: "none" };
  const { xaxis, yaxis, ...rest } = more;
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("ink"), family: "system-ui, sans-serif", size: 12 },
    hoverlabel: { bgcolor: colour("paper"), bordercolor: colour("rule"), font: { color: colour("ink") } },
    margin: { l: 56, r: 12, t: 24, b: 44 },
    showlegend: false,
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("rule"), activecolor: colour("pale") },
    xaxis: { ...axis, ...xaxis },
    yaxis: { ...axis, ...yaxis },
    ...rest,
  };
}

/** Puts a plot into a node. `figure` gives what is drawn each time: {traces, layout}. */
function plot(node, figure, height = 320) {
  let drawn = false;
  const draw = () => {
    const { traces, layout: wanted } = figure();
    // Only these buttons: others would send the plot to a site.
    const modeBarButtons = [["toImage", "zoom2d", "pan2d", "resetScale2d"]];
    const config = { responsive: true, displaylogo: false, modeBarButtons };
    Plotly.react(node, traces, layout({ height, ...wanted }), config);
  };
  node.classList.add("plotted");
  node.drawNow = () => {
    near.unobserve(node);
    if (!drawn) draw();
    drawn = true;
  };
  node.redraw = () => drawn && draw();
  node.style.minHeight = `${height}px`;
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

/** A plot with its title above, which breaks where there is little room. */
function titled(title, figure, height) {
  const node = make("div");
  plot(node, figure, height);
  return make("figure", {}, make("figcaption", {}, title), node);
}

function sideBySide(count, ...nodes) {
  return make("div", { class: "plots", "data-across": count }, ...nodes);
}

function card(title, figures, ...more) {
  return make("div", { class: "card" }, make("h3", {}, title),
    sideBySide(data.across[figures.length], ...figures), ...more);
}
