// The part of the drawing that is seen: fitted at first, then moved and scaled by the user.

const CLOSEST = 1.6;
const READABLE = 0.5;

/** Lets a drawing be moved by dragging, and scaled by Ctrl and the wheel, by pinching, and by `zoom`. */
export function viewport(drawing, changed) {
  let content = { width: 1, height: 1 }, view = { x: 0, y: 0, scale: 1 }, size = { width: 1, height: 1 };
  let fitted = true, drag;

  const fit = () => Math.min(1.3, size.width / content.width, size.height / content.height);
  function show() {
    const least = Math.min(fit(), 1) * 0.8;
    view.scale = Math.min(CLOSEST, Math.max(least, view.scale));
    const width = size.width / view.scale, height = size.height / view.scale;
    const within = (at, seen, whole) => (seen >= whole ? (whole - seen) / 2 : Math.min(whole - seen, Math.max(0, at)));
    view.x = within(view.x, width, content.width);
    view.y = within(view.y, height, content.height);
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${width} ${height}`);
    drawing.classList.toggle("far", view.scale < READABLE);
    drawing.classList.toggle("farther", view.scale < READABLE / 2);
    drawing.classList.toggle("movable", width < content.width - 1 || height < content.height - 1);
    changed(view.scale, fitted);
  }

  function zoom(factor, at = { x: size.width / 2, y: size.height / 2 }) {
    fitted = false;
    const before = view.scale;
    view.scale = Math.min(CLOSEST, Math.max(Math.min(fit(), 1) * 0.8, before * factor));
    view.x += at.x / before - at.x / view.scale;
    view.y += at.y / before - at.y / view.scale;
    show();
  }

  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY });
  }, { passive: false });
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && drawing.classList.contains("movable")) drag = { x: event.clientX, y: event.clientY, moved: false };
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) drawing.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, y: event.clientY, moved: true };
    fitted = false;
    view.x -= dx / view.scale;
    view.y -= dy / view.scale;
    show();
  });
  const drop = () => { drag = undefined; };
  drawing.addEventListener("pointerup", drop);
  drawing.addEventListener("pointercancel", drop);

  return {
    zoom,
    /** Shows all of it. */
    fit() {
      fitted = true;
      view.scale = fit();
      view.x = view.y = 0;
      show();
    },
    /** Takes the size of the content, and of the place for it. */
    resize(whole, place) {
      [content, size] = [whole, place];
      if (fitted) this.fit();
      else show();
    },
    /** Moves a place of the content into sight, large enough to be read. */
    reveal({ x, y }) {
      const width = size.width / view.scale, height = size.height / view.scale;
      const seen = x > view.x + 60 && x < view.x + width - 60 && y > view.y + 30 && y < view.y + height - 30;
      if (seen && view.scale >= READABLE) return;
      fitted = false;
      view.scale = Math.max(view.scale, READABLE * 1.5);
      view.x = x - size.width / view.scale / 2;
      view.y = y - size.height / view.scale / 2;
      show();
    },
  };
}
