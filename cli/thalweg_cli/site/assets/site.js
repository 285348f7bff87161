// The version beside the name of the site: a menu where there are several. Whoever publishes the site puts others into
// versions.js, of which the first one is the one that is shown.
for (const topic of document.querySelectorAll(".md-header__topic:first-child")) {
  const config = JSON.parse(document.getElementById("__config").textContent);
  const root = new URL(`${config.base}/`, location.href);
  const [shown, ...others] = window.thalwegVersions;
  const version = document.createElement("div");
  version.className = "md-version";
  const current = document.createElement(others.length ? "button" : "span");
  current.className = "md-version__current";
  current.textContent = shown.name;
  version.append(current);
  if (others.length) {
    current.setAttribute("aria-label", "Choose a version");
    const list = document.createElement("ul");
    list.className = "md-version__list";
    for (const { name, path } of window.thalwegVersions) {
      const link = document.createElement("a");
      link.className = "md-version__link";
      link.href = new URL(`${path}/index.html`, root);
      link.textContent = name;
      const item = document.createElement("li");
      item.className = "md-version__item";
      item.append(link);
      list.append(item);
    }
    version.append(list);
  }
  topic.append(version);
}
