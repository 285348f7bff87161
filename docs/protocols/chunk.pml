/* Stealing from a chunk that is being filled, and the numbers that the pool gives to what leaves it: the source adds
 * items without a lock; a thief takes what is there, under the lock of `fill` and that of the chunk; the array grows,
 * or its items move to the front, under that of the chunk.
 *
 * Mirrors: include/thalweg/pipe/chunk.hpp: emplace, make_room, size, steal, clear
 * Mirrors: src/run/pool/source.cpp: take_grant, steal, flush_source
 * Mirrors: src/run/pool/fill.hpp: open, close
 *
 * The array is cells: raw memory, an item, or what is left of an item that was moved away. The store of the chunk's end
 * goes through a store buffer, as on every real core; that whoever sees the end sees the items before it is taken for
 * granted (release and acquire). A thief's first look has the lock of `fill` only: it may fall into the middle of
 * make_room, and then the thief finds nothing.
 *
 * Shown: a thief touches cells with items only, and the source constructs items in raw memory only; every item leaves
 * the chunk, once; the numbers have the order in which the source made the items.
 *
 * BROKEN 1: make_room takes no lock.
 * BROKEN 2: a thief reads how much there is before it has the lock of the chunk.
 * BROKEN 3: the end is stored before the item lies there.
 * BROKEN 4: a thief numbers what it has after it has left the lock of `fill`.
 * BROKEN 5: the source closes the chunk after it has numbered what is left in it.
 * BROKEN 6: a flush takes the lock of the chunk only.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define ITEMS 6
#define RAW 255
#define MOVED 254

/* The chunk. Its array has 2 cells, from cell 0 on; when it grows, the next 4, and then 8. */
byte cell[14] = RAW;
byte data = 0, capacity = 2;
byte begin = 0, written_end = 0, visible_end = 0;
bool filling = false;           /* its lock */

/* fill */
bool lock = false, opened = false;

/* For the proof: the next item to get a number. */
byte numbered = 0;
bool ended = false;

/* The store buffer drains by itself, sooner or later. */
proctype memory() {
end:
  do
  :: d_step { visible_end != written_end -> visible_end = written_end }
  od
}

inline acquire(which) {
  atomic { !which -> which = true }
}

/* By the source. */
inline release(which) {
  d_step { visible_end = written_end; which = false }
}

/* Items [begin, begin + n) leave the array: all are moved, then what is left of them is destroyed. */
inline take(n) {
  first = RAW;
  do
  :: i < n ->
     d_step {
       assert(cell[data + begin + i] < MOVED);
       first = (i == 0 -> cell[data + begin] : first);
       assert(cell[data + begin + i] == first + i);
       cell[data + begin + i] = MOVED;
       i++
     }
  :: else -> break
  od;
  i = 0;
  do
  :: i < n -> cell[data + begin + i] = RAW; i++
  :: else -> break
  od;
  i = 0
}

inline number(n) {
  d_step {
    assert(n == 0 || first == numbered);
    numbered = numbered + n;
    first = RAW
  }
}

inline move(here, there) {
  d_step {
    assert(cell[here] < MOVED && cell[there] == RAW);
    cell[there] = cell[here];
    cell[here] = RAW
  }
}

inline make_room() {
#if BROKEN != 1
  acquire(filling);
#endif
  from = begin;
  left = n - from;
  if
  :: left * 2 > capacity ->
     do
     :: i < left -> move(data + from + i, data + capacity + i); i++
     :: else -> break
     od;
     data = data + capacity;
     capacity = 2 * capacity
  :: else ->
     do
     :: i < left && from > 0 -> move(data + from + i, data + i); i++
     :: else -> break
     od
  fi;
  i = 0;
  begin = 0;
  written_end = left;
  d_step { n = left; from = 0; left = 0 };
#if BROKEN != 1
  release(filling)
#endif
}

proctype source() {
  byte made = 0, n = 0, i = 0, from = 0, left = 0, first = RAW;
grant:
  acquire(lock);
  opened = true;
  release(lock);
  do
  :: made < ITEMS -> /* emplace */
     n = written_end;
     if
     :: n == capacity -> make_room()
     :: else
     fi;
#if BROKEN == 3
     written_end = n + 1;
#endif
     d_step { assert(cell[data + n] == RAW); cell[data + n] = made; made++ };
#if BROKEN != 3
     written_end = n + 1;
#endif
     n = 0
  :: written_end > 0 -> /* flush_source, whenever the chunk is full */
#if BROKEN != 6
     acquire(lock);
#endif
     acquire(filling);
     n = written_end - begin;
     take(n);
     begin = begin + n;
     release(filling);
     begin = 0;
     written_end = 0;
     number(n);
#if BROKEN != 6
     release(lock);
#endif
     n = 0
  :: true -> break
  od;
#if BROKEN != 5
  acquire(lock);
  opened = false;
  release(lock);
#endif
  if
  :: written_end > begin ->
     acquire(lock);
     n = written_end - begin;
     first = cell[data + begin];
     number(n);
     release(lock);
#if BROKEN == 5
     acquire(lock);
     opened = false;
     release(lock);
#endif
     take(n); /* it carries them on itself */
     first = RAW;
     n = 0
  :: else
  fi;
  begin = 0; /* clear */
  written_end = 0;
  for (i : 0 .. 13) {
    assert(cell[i] == RAW)
  };
  i = 0;
  if
  :: made < ITEMS -> goto grant
  :: else -> ended = true
  fi
}

proctype thief() {
  byte n = 0, i = 0, first = RAW;
  do
  :: atomic { !lock && opened -> lock = true };
     n = begin;
     if
     :: n < visible_end ->
#if BROKEN == 2
        n = visible_end - begin;
        acquire(filling);
#else
        acquire(filling);
        n = visible_end - begin;
#endif
        take(n);
        begin = begin + n;
        filling = false;
#if BROKEN != 4
        number(n)
#endif
     :: else -> n = 0
     fi;
     lock = false;
#if BROKEN == 4
     number(n);
#endif
     n = 0
  :: ended -> break
  od
}

init {
  atomic {
    run memory();
    run source();
    run thief()
  };
  timeout; /* all have left */
  assert(ended && numbered == ITEMS)
}
