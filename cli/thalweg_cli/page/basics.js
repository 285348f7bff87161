// What is in the page, and how parts of it are made. All files of this folder are one script, in the order of SCRIPTS.

const data = JSON.parse(document.getElementById("data").textContent);

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function part(section, name) {
  return document.querySelector(`#${section} .${name}`);
}

function leaveOut(section) {
  document.getElementById(section).remove();
  document.querySelector(`nav a[href="#${section}"]`)?.remove();
}

/** A labelled choice; `change` is called with the value. Options are [value, text]. */
function choice(text, options, value, change) {
  const select = make("select", { onchange: () => change(select.value) });
  for (const [key, shown] of options) select.append(make("option", { value: key }, shown));
  select.value = value;
  return make("label", {}, `${text} `, select);
}

/** A text as Plotly shows it as it is: it takes tags in texts, and %{...} in those under the pointer. */
function safe(text) {
  const codes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "%": "&#37;" };
  return String(text).replace(/[&<>%]/g, (sign) => codes[sign]);
}

function grouped(rows, key) {
  const found = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(row);
  }
  return found;
}

function unique(values) {
  return [...new Set(values)];
}

function plain(value) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(3);
  return String(Number(value.toPrecision(4)));
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
