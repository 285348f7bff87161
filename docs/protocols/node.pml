/* A node: asleep, queued, running; senders that hand over and notify; a source that lends the chunk it is filling, and
 * a receiver that falls asleep.
 *
 * Mirrors: src/run/engine/node.cpp: node::notify, node::claim, node::release, node::fall_asleep, node::take
 * Mirrors: src/run/engine/channel.cpp: channel::push, channel::pop, channel::steal
 * Mirrors: src/run/engine/port_node.cpp: own_context::flush
 *
 * One source gives N items, one at a time, and may stop for ever after any of them. It collects items in the chunk that
 * it lends, unless the receiver sleeps deeply or LIMIT have been collected: then it hands them over and notifies the
 * receiver. One worker executes the receiver: takes what waits, or steals from the chunk, goes to sleep with a
 * compare-and-swap, looks a little longer (dozes), and at last marks the node as deeply asleep. A second thread
 * notifies the receiver at any moment, without need. Or the source is a sender as any other, which lends nothing and
 * hands over what it has at the end of each of its runs of items.
 *
 * A source of a line looks at a flag after each item instead: lend.pml.
 *
 * Shown: when the source has stopped and the worker sleeps, no item is left in the channel or in the chunk; items are
 * worked on in order, each once; the node is in the list of ready nodes at most as often as it was queued, and is never
 * executed twice at once.
 *
 * BROKEN 1: the worker does not look once more after it has marked the node.
 * BROKEN 2: going to sleep does not notice a notification that came while the node was running.
 * BROKEN 3: the source tests for deep sleep before it publishes the item.
 * BROKEN 4: what is stolen does not look whether something older waits in the channel.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#define N 4
#define LIMIT 2

mtype = { idle, queued, running, again };

mtype state = idle;
bool deep = true;
byte ready = 0;        /* entries in the list of ready nodes */
byte in_chunk = 0;     /* items that are being collected */
byte in_channel = 0;      /* items handed over */
byte given = 0, worked = 0;
byte oldest_channel = 0;  /* number of the first item in the channel; those in the chunk follow */
byte executing = 0;
bool lends;
bool source_stopped = false, other_stopped = false, asleep = false;

inline notify() {
  if
  :: atomic { state == idle -> state = queued; ready++ }
  :: atomic { state == running -> state = again }
  :: atomic { (state == queued || state == again) -> skip }
  fi
}

active proctype source() {
  bool hungry;
  if
  :: lends = true
  :: lends = false
  fi;
  do
  :: given == N -> break
  :: lends -> break             /* it waits for the outside, for ever */
  :: given < N ->
#if BROKEN == 3
     hungry = (lends && state == idle && deep);
#endif
     atomic { given++; in_chunk++ }    /* emplace: published; the fence follows */
#if BROKEN != 3
     hungry = (lends && state == idle && deep);
#endif
     if
     :: hungry || in_chunk >= LIMIT || (!lends && given == N) ->
        /* under the lock of lending: nobody steals meanwhile */
        atomic {
          if
          :: in_chunk > 0 && in_channel == 0 -> oldest_channel = given - in_chunk
          :: else
          fi;
          in_channel = in_channel + in_chunk;
          in_chunk = 0
        }
        notify()
     :: else
     fi
  od;
  source_stopped = true
}

active proctype other() {
  if
  :: notify()
  :: skip
  fi;
  other_stopped = true
}

inline take() {
  /* from the channel, or, if that is empty, what is being collected: under the lock of lending */
  if
  :: atomic { in_channel > 0 ->
       assert(oldest_channel == worked);
       worked = worked + in_channel;
       in_channel = 0 }
  :: atomic { lends && (BROKEN == 4 || in_channel == 0) && in_chunk > 0 ->
       assert(given - in_chunk == worked);
       worked = worked + in_chunk;
       in_chunk = 0 }
  :: atomic { in_channel == 0 && (in_chunk == 0 || !lends) -> skip }
  fi
}

active proctype worker() {
  bool dozing = false;
  do
  :: atomic { ready > 0 ->
       ready--;
       if
       :: state == queued -> state = running
       :: else -> goto next          /* somebody has executed it meanwhile */
       fi };
     executing++;
     assert(executing == 1);
     deep = false;
     take();
     executing--;
     /* release */
release:
     if
     :: in_channel > 0 || (lends && in_chunk > 0) -> atomic { state = queued; ready++ }
     :: else ->
        atomic {
          if
          :: state == running -> state = idle; dozing = lends; deep = !lends
#if BROKEN == 2
          :: state == again -> state = idle; dozing = lends; deep = !lends
#else
          :: state == again -> state = running; goto release
#endif
          fi
        }
     fi
  :: ready == 0 && dozing ->
     /* looks for a little while; then falls asleep */
     if
     :: state == idle && in_channel + in_chunk > 0 -> notify()
     :: skip ->
        deep = true;                 /* and a fence */
        dozing = false;
#if BROKEN != 1
        if
        :: state == idle && in_channel + in_chunk > 0 -> notify()
        :: else
        fi
#endif
     fi
  :: atomic { ready == 0 && !dozing && source_stopped && other_stopped ->
       /* asleep for ever */
       assert(in_channel + in_chunk == 0);
       assert(worked == given);
       break }
next:
     skip
  od
}
