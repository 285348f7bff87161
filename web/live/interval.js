// The interval of time that the graph shows: the last seconds of the run, or a part of its past.

export const LENGTHS = [1, 5, 30, 120, 600];

export class Interval {
  #listeners = [];
  #past = undefined;

  constructor(seconds) {
    this.seconds = seconds;
  }

  /** Whether it goes along with the present. */
  get follows() {
    return this.#past === undefined;
  }

  /** Its two ends, when the run is at `now`. */
  at(now) {
    return this.#past ?? [Math.max(0, now - this.seconds), now];
  }

  onChange(listener) {
    this.#listeners.push(listener);
  }

  /** The last seconds from now on. */
  follow(seconds = this.seconds) {
    this.seconds = seconds;
    this.#past = undefined;
    this.#listeners.forEach((listener) => listener());
  }

  /** An interval of the past. */
  hold(from, to) {
    this.#past = [Math.max(0, from), Math.max(from, to)];
    this.#listeners.forEach((listener) => listener());
  }

  /** The one before (-1) or after (+1); one that reaches the present follows it. */
  step(direction, now) {
    const [from, to] = this.at(now);
    const length = Math.max(to - from, 0.001);
    if (to + direction * length >= now) this.follow();
    else if (to + direction * length > 0) this.hold(from + direction * length, to + direction * length);
  }
}
