// The script of a page that was saved: hands the browser all that the page consists of, which is in the element `parts`.
// Where it stands, index.html loads main.js. No module: it comes before all of them.

(() => {
  const parts = JSON.parse(document.getElementById("parts").textContent);
  const FOLDER = "assets/", MODULES = "thalweg/";
  const address = (kind, text) => `data:${kind};charset=utf-8,${encodeURIComponent(text)}`;
  const partOf = (element, name) => parts[element.dataset[name].slice(FOLDER.length)];

  for (const link of document.querySelectorAll("link[data-href]")) {
    if (link.rel === "stylesheet") {
      const style = document.createElement("style");
      style.textContent = partOf(link, "href");
      link.replaceWith(style);
    } else {
      link.href = address("image/svg+xml", partOf(link, "href"));
    }
  }

  // A module that is an address has no place that others could be beside: it names them as the map of imports does.
  const beside = (module, other) => new URL(other, `file:///${MODULES}${module}`).pathname.slice(1);
  const imports = {};
  for (const [name, text] of Object.entries(parts)) {
    if (!name.endsWith(".js")) continue;
    const named = text.replace(/(\b(?:from|import)\s*)(["'])(\.{1,2}\/[^"']+)\2/g, (_, before, quote, other) => before + quote + beside(name, other) + quote);
    imports[MODULES + name] = address("text/javascript", named.replace(/^\/\/# sourceMappingURL=.*$/gm, ""));
  }
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);

  addEventListener("DOMContentLoaded", () => {
    for (const image of document.querySelectorAll("img[data-src]")) image.src = address("image/svg+xml", partOf(image, "src"));
    import(`${MODULES}main.js`);
  });
})();
