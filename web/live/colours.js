// Colours that scripts need: of the theme, of stages in curves, and of numbers.

const SERIES = 8;
let known = new Map();

/** A colour of the style sheet, by its name without dashes. */
export function themed(name) {
  let value = known.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    known.set(name, value);
  }
  return value;
}

/** Forgets what was read, since the theme has changed. */
export function forgetColours() {
  known = new Map();
}

/** The colour of a series, by its number. */
export const series = (number) => themed(`series-${number % SERIES}`);
export { SERIES };

/** How many steps the colours of a metric have. */
export const STEPS = 7;

/** The step (0 to STEPS - 1) of a part between 0 and 1. */
export function step(part) {
  return Math.min(STEPS - 1, Math.max(0, Math.floor(part * STEPS)));
}

/** A colour as red, green and blue. */
export function rgb(colour) {
  const digits = colour.replace("#", "");
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}
