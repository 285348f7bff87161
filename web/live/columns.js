// Numbers of the last samples, a column for each thing that was measured: typed arrays, which are short of memory.

const FIRST = 512;

/** Columns of equal length. What was not measured is NaN; a column that nobody sets takes no room. */
export class Columns {
  #columns = new Map();
  #room = FIRST;
  #begin = 0;
  #end = 0;

  get length() {
    return this.#end - this.#begin;
  }

  /** Begins a row; all of it is NaN. */
  add() {
    if (this.#end === this.#room) this.#make();
    for (const column of this.#columns.values()) column[this.#end] = NaN;
    this.#end++;
  }

  /** Lets the oldest rows go. */
  drop(rows) {
    this.#begin += rows;
  }

  /** Sets a value of the last row. */
  set(name, value) {
    if (value === undefined || value === null) return;
    let column = this.#columns.get(name);
    if (!column) {
      column = new (name === "time" ? Float64Array : Float32Array)(this.#room).fill(NaN);
      this.#columns.set(name, column);
    }
    column[this.#end - 1] = value;
  }

  /** A column, oldest first: a view, good until the next `add`. Undefined if nothing was ever set. */
  get(name) {
    return this.#columns.get(name)?.subarray(this.#begin, this.#end);
  }

  // At the end of the memory: what is kept moves to its beginning, into more memory if it fills half of this.
  #make() {
    const grown = this.length * 2 > this.#room ? this.#room * 2 : this.#room;
    for (const [name, column] of this.#columns) {
      const kept = column.subarray(this.#begin, this.#end);
      const next = grown === this.#room ? column : new column.constructor(grown);
      next.set(kept);
      this.#columns.set(name, next);
    }
    [this.#begin, this.#end, this.#room] = [0, this.length, grown];
  }
}
