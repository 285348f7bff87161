/* A source that lends what it is filling to a receiver on other threads, and hands it over when these sleep.
 *
 * Mirrors: src/run/engine/line_node.cpp: line_node::collects, line_node::give
 * Mirrors: src/run/engine/node.cpp: node::hand_over, node::fall_asleep, node::could_borrow, node::release
 * Mirrors: src/run/engine/channel.cpp: channel::push, channel::pop, channel::steal
 *
 * The source gives N items, one by one, and may stop for ever after any of them. It adds an item to the chunk that it
 * lends, with a store, and looks at the flag `hurry` of the channel; what orders the two is for the compiler only. If
 * the flag is set, or LIMIT items are there, or it is the first, it hands over what it has and notifies the receiver;
 * then it takes the flag back, executes a fence, and sets it again if the receiver sleeps deeply. The receiver is a
 * node (node.pml) that WORKERS threads execute. It takes what was handed over, or steals from the chunk. A thread that
 * has nothing else to do looks a little longer (dozes); then it marks the node as deeply asleep, sets the flag,
 * executes a heavy fence, and looks once more.
 *
 * The stores of the source and of each worker go through store buffers.
 *
 * Shown: items are taken in order, each once; when nothing moves any more no item is left in the channel or in the
 * chunk, though the source may have stopped.
 *
 * BROKEN 1: the receiver executes no heavy fence.
 * BROKEN 2: the source takes the flag back after it has looked whether the receiver sleeps.
 * BROKEN 3: the source takes the flag back and does not look whether the receiver sleeps.
 * BROKEN 4: the receiver sets the flag first, then the mark that it is deeply asleep.
 * BROKEN 5: the receiver does not look once more.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#define LIMIT 3
#define NOTHING 0
#define LAST 1              /* the second of two stores has yet to be seen */
#define BOTH 2

mtype = { idle, queued, running, again };

mtype state = idle;
bool deep = true, hurry = false;
byte stores[WORKERS];       /* of a thread that falls asleep, not yet seen by others */
byte written = 0;           /* items in the chunk, as the source knows */
byte in_chunk = 0;          /* and as others see them */
byte in_channel = 0;
byte given = 0, taken = 0;
byte executing = 0;

inline flush_source() {
  in_chunk = written
}

inline store_next(w) {
  if
#if BROKEN == 4
  :: stores[w] == BOTH -> hurry = true; stores[w] = LAST
  :: stores[w] == LAST -> deep = true; stores[w] = NOTHING
#else
  :: stores[w] == BOTH -> deep = true; stores[w] = LAST
  :: stores[w] == LAST -> hurry = true; stores[w] = NOTHING
#endif
  :: else
  fi
}

inline flush(w) {
  store_next(w);
  store_next(w)
}

active proctype memory() {
end:
  do
  :: atomic { in_chunk != written -> flush_source() }
  :: atomic { stores[0] != NOTHING -> store_next(0) }
#if WORKERS > 1
  :: atomic { stores[1] != NOTHING -> store_next(1) }
#endif
  od
}

inline notify() {
  if
  :: state == idle -> state = queued
  :: state == running -> state = again
  :: else
  fi
}

active proctype source() {
  bool hungry = false, hurried = false;
  do
  :: given == N -> break
  :: given < N -> break               /* it waits for the outside, for ever */
  :: given < N ->
     atomic { written++; given++ };
     if
     :: hurry || written >= LIMIT || given == 1 ->
        /* under the lock of lending: nobody steals meanwhile */
        atomic { flush_source(); in_channel = in_channel + written; written = 0; in_chunk = 0 };
        atomic { flush_source(); notify() };
        hurried = hurry;
        if
        :: hurried ->
           hurried = false;
#if BROKEN == 2
           hungry = (state == idle && deep);
           hurry = false;
#elif BROKEN == 3
           hurry = false;
#else
           hurry = false;             /* and a fence */
           hungry = (state == idle && deep);
#endif
           if
           :: hungry -> hurry = true; hungry = false
           :: else
           fi
        :: else
        fi
     :: else
     fi
  od
}

proctype worker(byte me) {
  bool dozing = false, found = false;
end:
  do
  :: atomic { state == queued -> flush(me); state = running };
     executing++;
     assert(executing == 1);
     /* under the lock of lending, if nothing was handed over */
     atomic {
       if
       :: in_channel > 0 -> taken = taken + in_channel; in_channel = 0
       :: in_channel == 0 && in_chunk > 0 ->
          assert(taken + written == given);
          taken = taken + in_chunk;
          written = written - in_chunk;
          in_chunk = 0
       :: else
       fi
     };
     executing--;
     /* release */
     atomic { flush(me); deep = false };
     do
     :: found = (in_channel > 0 || in_chunk > 0);
        if
        :: found -> atomic { found = false; state = queued }; break
        :: else ->
           atomic {
             if
             :: state == running -> state = idle; dozing = true; break
             :: state == again -> state = running
             fi
           }
        fi
     od
  :: dozing && state != queued ->
     if
     :: atomic { state == idle && (in_channel > 0 || in_chunk > 0) -> notify() }
     :: true ->
        dozing = false;
        stores[me] = BOTH;
#if BROKEN != 1
        atomic { flush_source(); flush(0);                   /* the heavy fence, of all threads */
#if WORKERS > 1
          flush(1)
#endif
        };
#endif
#if BROKEN != 5
        found = (state == idle);
        found = (found && (in_channel > 0 || in_chunk > 0));
        if
        :: found -> atomic { flush(me); found = false; notify() }
        :: else
        fi
#endif
     fi
  od
}

/* When nothing moves any more. */
active proctype observer() {
  timeout -> assert(in_channel == 0 && in_chunk == 0 && written == 0 && taken == given)
}

init {
  byte w = 0;
  atomic {
    do
    :: w < WORKERS -> run worker(w); w++
    :: else -> break
    od;
    w = 0
  }
}
