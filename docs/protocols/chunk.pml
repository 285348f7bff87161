/* Stealing from a chunk that is being filled: the source adds items without a lock; a thief takes what is there, under
 * the lock of lending and that of the chunk; the array grows, or its items move to the front, under that of the chunk.
 *
 * Mirrors: include/thalweg/pipe/chunk.hpp: emplace, make_room, size, steal, clear
 * Mirrors: src/run/engine/channel.cpp: channel::push, channel::pop, channel::steal
 * Mirrors: src/run/engine/line_node.cpp: line_node::give
 *
 * The array is cells: raw memory, an item, or what is left of an item that was moved away. The store of the chunk's end
 * goes through a store buffer, as on every real core; that what sees the end sees the items before it is taken for
 * granted (release and acquire). The source hands over what is in the chunk whenever it likes: into the channel, under
 * the lock of lending. A thief takes what is in the channel, or, if that is empty, what is in the chunk. Its first look
 * has the lock of lending only: it may fall into the middle of make_room, and then the thief finds nothing.
 *
 * Shown: a thief touches cells with items only, and the source constructs items in raw memory only; every item leaves
 * the chunk, once; the thief has them in the order in which the source made them.
 *
 * BROKEN 1: make_room takes no lock.
 * BROKEN 2: a thief reads how much there is before it has the lock of the chunk.
 * BROKEN 3: the end is stored before the item lies there.
 * BROKEN 4: a thief does not look whether something older waits in the channel.
 * BROKEN 5: who hands over takes the lock of the chunk only.
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

/* The channel. */
bool lending = false;           /* its lock */
byte in_channel = 0;

/* For the proof: how many items the thief has had. */
byte taken = 0;
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

inline work_on(n) {
  d_step {
    assert(n == 0 || first == taken);
    taken = taken + n;
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
  :: written_end > 0 -> /* it hands over, whenever it likes */
#if BROKEN != 5
     acquire(lending);
#endif
     acquire(filling);
     n = written_end - begin;
     take(n);
     begin = begin + n;
     release(filling);
     begin = 0;         /* clear */
     written_end = 0;
     in_channel = in_channel + n;
     first = RAW;
#if BROKEN != 5
     release(lending);
#endif
     n = 0
  :: made == ITEMS && written_end == 0 -> break
  od;
  for (i : 0 .. 13) {
    assert(cell[i] == RAW)
  };
  i = 0;
  ended = true
}

proctype thief() {
  byte n = 0, i = 0, first = RAW;
  do
  :: atomic { !lending && !ended -> lending = true };
     n = begin;
     if
     :: (BROKEN == 4 || in_channel == 0) && n < visible_end ->
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
     :: else -> n = 0
     fi;
     lending = false;
     work_on(n);
     n = 0
  :: atomic { in_channel > 0 ->     /* under the lock of the channel: whatever is there is the oldest */
       taken = taken + in_channel;
       in_channel = 0 }
  :: ended && in_channel == 0 -> break
  od
}

init {
  atomic {
    run memory();
    run source();
    run thief()
  };
  timeout; /* all have left */
  assert(ended && taken == ITEMS)
}
