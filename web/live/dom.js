// Elements of the page. Data gets in as text and attributes alone, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const LAST = Symbol("last");

/** An HTML element with attributes (`on…` are listeners) and children. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function changed(node, what, value) {
  const last = (node[LAST] ??= {});
  if (last[what] === value) return false;
  last[what] = value;
  return true;
}

/** Sets a text if it is another one: what is the same costs the browser nothing. */
export function setText(node, text) {
  if (changed(node, "text", text)) node.textContent = text;
}

/** Sets an attribute if it is another one; undefined takes it away. */
export function setAttribute(node, name, value) {
  if (!changed(node, name, value)) return;
  if (value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** Sets a property of the element's style, which the page's policy allows for scripts. */
export function setStyle(node, name, value) {
  if (changed(node, `style ${name}`, value)) node.style.setProperty(name, value);
}

/** Shows or hides an element. */
export function setShown(node, shown) {
  if (changed(node, "shown", shown)) node.hidden = !shown;
}
