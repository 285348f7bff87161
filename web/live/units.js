// Numbers for people.

const NONE = "–";

/** A number's text without the zeros at the end of its fraction: for axes. */
export const short = (text) => text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");

function known(value) {
  return value !== undefined && value !== null && !Number.isNaN(value);
}

/** Three digits that count, without the zeros that say nothing. */
export function digits(value) {
  if (!known(value)) return NONE;
  const size = Math.abs(value);
  if (size >= 100 || size === 0) return String(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

function scaled(value, steps) {
  if (!known(value)) return NONE;
  let [factor, unit] = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[0] * 0.9995) [factor, unit] = step;
  return `${digits(value / factor)}${unit && "\u202f"}${unit}`;
}

export const rate = (value) => (known(value) ? `${scaled(value, [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"]])}/s` : NONE);

export const duration = (ns) => scaled(ns, [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]]);

export const bytes = (value) => scaled(value, [[1, "B"], [2 ** 10, "KiB"], [2 ** 20, "MiB"], [2 ** 30, "GiB"], [2 ** 40, "TiB"]]);

export const percent = (share) => (known(share) ? `${short((100 * share).toFixed(share >= 0.0995 ? 0 : 1))}\u202f%` : NONE);

/** A whole number, in groups of three digits. */
export const count = (value) => (known(value) ? Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f") : NONE);

/** Seconds since the run began, as minutes and seconds. */
export function clock(seconds, tenths = false) {
  if (!known(seconds)) return NONE;
  const whole = Math.max(0, tenths ? Math.floor(seconds * 10 + 1e-6) / 10 : Math.floor(seconds + 1e-6));
  const hours = Math.floor(whole / 3600), minutes = Math.floor((whole % 3600) / 60);
  const rest = (whole % 60).toFixed(tenths ? 1 : 0).padStart(tenths ? 4 : 2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A day and a time of day, where the reader is. */
export function moment(unixMs) {
  if (!known(unixMs)) return NONE;
  const local = new Date(unixMs - 60000 * new Date(unixMs).getTimezoneOffset());
  return local.toISOString().slice(0, 16).replace("T", " ");
}
