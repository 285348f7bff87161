/* What lies between the threads of two nodes under the policy `threads`, where no order is kept (src/run/threads/
 * crossing.hpp and .cpp: outlet::added, send, hand_to, wait_for, made, close; inlet::ready, next, announce, claim,
 * retract, steal_from), and how these threads sleep and wake each other (bell.hpp, worker::sleep): a thread upstream
 * collects items in a chunk and hands it over when somebody downstream has nothing to do, or when it is large; one
 * downstream that finds nothing announces itself, looks again, also into the chunks that are being filled, and parks.
 *
 * A source may wait for ever between two items; whether a chunk is large, and who of several gets it, is left open.
 *
 * A thread's plain stores go through a store buffer, as on every real core: others see them some time later, unless a
 * read-modify-write of the thread itself (a lock, an exchange) or a heavy fence (membarrier) drains it. Those that
 * matter are an item in the chunk, a slot freed in a link, and that a thread upstream is about to sleep. (A thread
 * downstream announces itself right after that, with a read-modify-write.) The parker is a permit here; idle_set.pml
 * shows how it is made.
 *
 * Shown: every item is delivered, once; none lies in a chunk or a link while everybody sleeps or waits in a source;
 * nobody waits for ever for room; each thread downstream comes to its end, after all its items, once all sources have
 * ended.
 *
 * BROKEN 1: who has nothing to do executes a light fence only.
 * BROKEN 2: who waits for room executes a light fence only.
 * BROKEN 3: the last look before the sleep leaves out the chunks that are being filled.
 * BROKEN 4: the one downstream is claimed and woken before the parcel lies in the link.
 * BROKEN 5: a thread does not announce itself again when a wake-up has brought it nothing.
 * BROKEN 6: who waits for room says so after its last look.
 * BROKEN 7: a thief takes no lock.
 * BROKEN 8: close does not wake.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#ifndef UP
#define UP 1            /* threads upstream: 1 or 2 */
#endif
#ifndef DOWN
#define DOWN 2          /* threads downstream: 1 or 2 */
#endif
#ifndef SLOTS
#define SLOTS 1         /* of a link */
#endif
#ifndef ITEMS
#define ITEMS 2         /* of the first source; a second one makes one less */
#endif
#define items(up) (ITEMS - (up))
#define END 255

#define link(up, down) ((up) * DOWN + (down))

/* The chunks that are being filled: items [gone, visible_added), by number. */
byte added[UP], visible_added[UP], gone[UP];
bool lock[UP];

/* The links, in parcels: the first item and the one behind the last, or END. */
chan links[UP * DOWN] = [SLOTS] of { byte, byte };
byte freed[UP * DOWN];  /* slots that are free, which the thread upstream does not see yet */
#define filled(up, down) (len(links[link(up, down)]) > 0)
#define has_room(up, down) (len(links[link(up, down)]) + freed[link(up, down)] < SLOTS)
#define roomy(up, down) (len(links[link(up, down)]) <= SLOTS / 2)

/* What is announced. */
bool waits[UP];
bool awaited[DOWN];
byte idle = 0;

/* The bells, first those upstream. */
bool asleep[UP + DOWN], visible_asleep[UP + DOWN];
bool permit[UP + DOWN];

/* For the proof. */
byte delivered[UP];     /* a bit for each item */
byte waiting_in_source = 0, closed = 0, ended = 0;

/* By the number of the thread's bell. */
inline drain(thread) {
  if
  :: thread < UP ->
     visible_added[thread] = added[thread];
     visible_asleep[thread] = asleep[thread]
  :: else ->
     freed[link(0, thread - UP)] = 0;
     freed[link(UP - 1, thread - UP)] = 0
  fi
}

inline heavy_fence(unless_broken) {
  d_step {
    if
    :: BROKEN == unless_broken
    :: else ->
       drain(0);
       drain(UP - 1);
       drain(UP);
       drain(UP + DOWN - 1)
    fi
  }
}

/* Store buffers drain by themselves, sooner or later. */
proctype memory() {
end:
  do
  :: d_step { visible_added[0] < added[0] -> visible_added[0]++ }
  :: d_step { visible_added[UP - 1] < added[UP - 1] -> visible_added[UP - 1]++ }
  :: d_step { visible_asleep[0] != asleep[0] -> visible_asleep[0] = asleep[0] }
  :: d_step { visible_asleep[UP - 1] != asleep[UP - 1] -> visible_asleep[UP - 1] = asleep[UP - 1] }
  :: d_step { freed[link(0, 0)] > 0 -> freed[link(0, 0)]-- }
  :: d_step { freed[link(UP - 1, 0)] > 0 -> freed[link(UP - 1, 0)]-- }
  :: d_step { freed[link(0, DOWN - 1)] > 0 -> freed[link(0, DOWN - 1)]-- }
  :: d_step { freed[link(UP - 1, DOWN - 1)] > 0 -> freed[link(UP - 1, DOWN - 1)]-- }
  od
}

/* The light fence before it does nothing at run time. */
inline ring(thread) {
  if
  :: visible_asleep[thread] -> d_step { permit[thread] = true; drain(mine) }
  :: else
  fi
}

/* --- upstream --- */

inline claim(down) {
  atomic {
    if
    :: awaited[down] -> awaited[down] = false; idle--; claimed = true; drain(mine)
    :: else
    fi
  }
}

inline hand_to(down) {
  claim(down);
  if
  :: claimed -> claimed = false; ring(UP + down)
  :: else
  fi
}

inline release(up) {
  d_step { drain(mine); lock[up] = false }
}

/* While it sends: in any link; when it closes: in the next. */
#define room (closing -> has_room(me, to) : has_room(me, 0) || has_room(me, DOWN - 1))

proctype upstream(byte me; byte mine) {
  byte to = 0;
  bool claimed = false, closing = false;
more:
  if
  :: added[me] == items(me)
  :: added[me] < items(me) && added[me] > 0 -> waiting_in_source++;
end_in_source:
     false
  :: added[me] < items(me) ->
     added[me]++;
     if
     :: idle == 0 -> goto more /* nobody wants it, and it is not large */
     :: true
     fi
  fi;

send:
  if
  :: gone[me] == added[me] && added[me] < items(me) -> goto more
  :: gone[me] == added[me] && added[me] == items(me) -> to = 0; closing = true
  :: gone[me] < added[me] && has_room(me, 0) -> to = 0
  :: gone[me] < added[me] && has_room(me, DOWN - 1) -> to = DOWN - 1
  :: gone[me] < added[me] && !room -> goto wait
  fi;
  if
  :: closing && !room -> goto wait
  :: else
  fi;
push:
  atomic { !lock[me] -> lock[me] = true };
  if
  :: closing || gone[me] < added[me]
  :: else -> release(me); goto send /* stolen meanwhile */
  fi;
  if
  :: !closing && idle > 0 -> /* chosen because it has nothing to do */
     claim(to);
     if
     :: claimed
     :: else -> release(me); goto send
     fi
  :: true /* because it has room */
  fi;
#if BROKEN == 4
  hand_to(to);
#endif
  if
  :: closing -> links[link(me, to)]!END, END
  :: else -> d_step { links[link(me, to)]!gone[me], added[me]; gone[me] = added[me] }
  fi;
  release(me);
#if BROKEN == 8
  if
  :: closing
  :: else -> hand_to(to)
  fi;
#elif BROKEN != 4
  hand_to(to);
#endif
  if
  :: !closing -> goto send
  :: closing && to < DOWN - 1 ->
     to++;
     if
     :: room -> goto push
     :: else -> goto wait
     fi
  :: closing && to == DOWN - 1 -> goto done
  fi;

wait: /* wait_for, worker::wait_until, bell::wait */
#if BROKEN != 6
  waits[me] = true;
#endif
  do
  :: room -> break
  :: else ->
     asleep[mine] = true;
     heavy_fence(2);
     do
     :: room -> break
     :: else ->
#if BROKEN == 6
        waits[me] = true;
#endif
end_parked:
        atomic { permit[mine] -> permit[mine] = false }
     od;
     asleep[mine] = false
  od;
  waits[me] = false;
  if
  :: closing -> goto push
  :: else -> goto send
  fi;
done:
  closed++
}

/* --- downstream --- */

inline announce() {
  if
  :: !awaited[me] ->
     idle++;
     atomic { awaited[me] = true; drain(mine) }
  :: else
  fi
}

inline retract() {
  atomic {
    if
    :: awaited[me] -> awaited[me] = false; idle--
    :: else
    fi;
    drain(mine)
  }
}

inline steal_from(up) {
  if
  :: !found && gone[up] < visible_added[up] ->
#if BROKEN != 7
     atomic { !lock[up] -> lock[up] = true; drain(mine) };
#endif
     if
     :: filled(up, me) -> found = true /* that comes first */
     :: !filled(up, me) && gone[up] < visible_added[up] ->
        d_step { first = gone[up]; behind = visible_added[up] };
        gone[up] = behind;
        d_step { found = true; stolen = true; from = up };
        retract()
     :: !filled(up, me) && gone[up] >= visible_added[up]
     fi;
#if BROKEN != 7
     release(up)
#endif
  :: else
  fi
}

#define ready (stolen || filled(0, me) || filled(UP - 1, me))

proctype downstream(byte me; byte mine) {
  byte from = 0, first = 0, behind = 0, ends = 0;
  bool stolen = false, found = false, tell, again;
next:
  if
  :: stolen -> stolen = false
  :: !stolen && filled(0, me) -> from = 0; goto pop
  :: !stolen && filled(UP - 1, me) -> from = UP - 1; goto pop
  :: !ready -> goto sleep
  fi;
work:
  atomic {
    do
    :: first < behind ->
       assert((delivered[from] & (1 << first)) == 0);
       delivered[from] = delivered[from] | (1 << first);
       first++
    :: else -> break
    od;
    first = 0;
    behind = 0
  };
  goto next;
pop:
  atomic { links[link(from, me)]?first, behind; freed[link(from, me)]++ };
  if
  :: first == END ->
     d_step { first = 0; behind = 0; ends++ };
     if
     :: ends == UP -> goto done
     :: else -> goto next
     fi
  :: else
  fi;
  if
  :: roomy(from, me) && waits[from] -> ring(from) /* made */
  :: else
  fi;
  goto work;

sleep: /* worker::sleep, bell::wait */
  if
  :: true -> /* it says what it waits for and stays awake for a moment: nobody has to ring */
     announce();
     if
     :: ready -> retract(); goto next
     :: true
     fi
  :: true
  fi;
  visible_asleep[mine] = true;
  again = false;
#if BROKEN == 5
  tell = true;
#endif
  do
  :: true -> /* announce */
#if BROKEN != 5
     tell = !awaited[me] || !again;
#endif
     again = true;
     if
     :: tell ->
        announce();
        heavy_fence(1);
#if BROKEN != 3
        found = ready;
        steal_from(0);
#if UP > 1
        steal_from(1);
#endif
        if
        :: found -> found = false; break
        :: else
        fi
#endif
     :: else
     fi;
     tell = false;
     if
     :: ready -> break
     :: else
     fi;
end_parked:
     atomic { permit[mine] -> permit[mine] = false };
     if
     :: ready -> break
     :: else
     fi
  od;
  visible_asleep[mine] = false;
  retract();
  goto next;
done:
  assert(!filled(0, me) && !filled(UP - 1, me));
  ended++
}

init {
  byte i;
  atomic {
    run memory();
    for (i : 0 .. UP - 1) { run upstream(i, i) };
    for (i : 0 .. DOWN - 1) { run downstream(i, UP + i) }
  };
  timeout; /* nothing moves any more */
  for (i : 0 .. UP - 1) {
    assert(delivered[i] == (1 << added[i]) - 1)
  };
  assert(waiting_in_source + closed == UP);
  assert(closed < UP || ended == DOWN)
}
