/* State of keys, divided up among parts.
 *
 * Mirrors: src/run/engine/keyed_farm.cpp: partitioner::start, partitioner::unite, partition::add_work,
 *   partition::execute, keyed_farm::begin_one, keyed_farm::next_one, keyed_farm::set_replicas
 * Mirrors: src/run/engine/node.cpp: node::notify, node::release
 *
 * BATCHES runs of items are divided up one after the other, WINDOW of them at most on their way. Each has something for
 * any of the PARTS parts, which the run is put into the ring of; the others hear nothing of it. A part is a node
 * (node.pml): asleep, queued, running. It works on what its ring holds, in that order, if fewer than `limit` parts are
 * at work. A run goes on when all that it concerns have done their share. Meanwhile the number of replicas is changed
 * from REPLICAS, 2, to 1 (with -DREPLICAS=1: from 1 to 2). That it holds for PARTS=3, BATCHES=1 takes the search no
 * longer.
 *
 * Shown: every part works on its share of every run once, in order; runs go on in order; at most as many parts as there
 * are replicas begin at a time; in the end nothing is left.
 *
 * BROKEN 1: a part that finds all places taken counts itself for a moment.
 * BROKEN 2: that a place is free is told to parts that sleep, not to those that are about to.
 * BROKEN 3: that a place is free is told to nobody.
 * BROKEN 4: going to sleep does not notice a notification that came while the part was running.
 * BROKEN 5: a part is told of a run before the run is in its ring.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef REPLICAS
#define REPLICAS 2
#endif
#ifndef PARTS
#define PARTS 2
#endif
#ifndef BATCHES
#define BATCHES 3
#endif
#define WINDOW 2

mtype = { idle, queued, running, again };

mtype state[PARTS] = idle;
byte limit = REPLICAS;
byte at_work = 0;
byte next_in = 0, next_out = 0;
byte given[PARTS], taken[PARTS];
byte to_do[PARTS * WINDOW]; /* a ring for each part: which run */
byte pending[WINDOW];

#define has_work(i) (taken[i] < given[i])
#define ring(i, n) (i * WINDOW + n % WINDOW)

inline notify(i) {
  if
  :: state[i] == idle -> state[i] = queued
  :: state[i] == running -> state[i] = again
  :: else
  fi
}

active proctype partitioner() {
  byte i;
  bool concerns[PARTS];
  do
  :: next_in < BATCHES && next_in - next_out < WINDOW ->
     atomic {
       assert(pending[next_in % WINDOW] == 0);
       do
       :: i < PARTS ->
          if
          :: concerns[i] = true; pending[next_in % WINDOW]++
          :: concerns[i] = false
          fi;
          i++
       :: else -> i = 0; break
       od;
       next_in++
     };
     do
     :: i < PARTS && concerns[i] ->
#if BROKEN == 5
        given[i]++;
        to_do[ring(i, (given[i] - 1))] = next_in - 1;
#else
        atomic { to_do[ring(i, given[i])] = next_in - 1; given[i]++ };
#endif
        atomic { notify(i); concerns[i] = false; i++ }
     :: i < PARTS && !concerns[i] -> i++
     :: i == PARTS -> i = 0; break
     od
  :: atomic { next_out < next_in && pending[next_out % WINDOW] == 0 -> next_out++ }
  :: next_out == BATCHES -> break
  :: timeout -> assert(false)          /* nothing moves, and work is left */
  od
}

proctype resizer() {
  byte i;
  limit = 3 - limit;
  atomic {
    do
    :: i < PARTS -> notify(i); i++
    :: else -> break
    od
  }
}

proctype part(byte me) {
  byte end_, i, run_;
  bool mine, slept;
end:
  do
  :: atomic { state[me] == queued -> state[me] = running };
#if BROKEN == 1
     atomic { at_work++; mine = (at_work <= limit) };
     if
     :: !mine -> at_work--
     :: else
     fi;
#else
     atomic {
       mine = (at_work < limit);
       if
       :: mine -> at_work++
       :: else
       fi
     };
#endif
     if
     :: mine ->
        end_ = given[me];
        do
        :: atomic { taken[me] < end_ ->
             run_ = to_do[ring(me, taken[me])];
             assert(run_ < next_in && run_ >= next_out && pending[run_ % WINDOW] > 0);
             to_do[ring(me, taken[me])] = 0;
             taken[me]++ };
           atomic { pending[run_ % WINDOW]--; run_ = 0 }
        :: atomic { taken[me] == end_ -> end_ = 0; mine = false; break }
        od;
        at_work--;
#if BROKEN != 3
        do
        :: atomic {
             do
             :: i < PARTS && !has_work(i) -> i++
             :: else -> break
             od;
             if
             :: i == PARTS -> break
             :: else
             fi;
             slept = (state[i] == idle);
#if BROKEN == 2
             if
             :: slept && at_work < limit -> notify(i)
             :: else -> slept = false
             fi;
#else
             notify(i);
#endif
             i++;
             if
             :: slept -> break
             :: else
             fi }
        od;
#endif
        atomic { i = 0; slept = false }
     :: else
     fi;
     /* release */
     do
     :: if
        :: has_work(me) && at_work < limit -> state[me] = queued; break
        :: else
        fi;
        atomic {
          if
          :: state[me] == running -> state[me] = idle; break
#if BROKEN == 4
          :: state[me] == again -> state[me] = idle; break
#else
          :: state[me] == again -> state[me] = running
#endif
          fi
        }
     od
  od
}

init {
  byte i;
  atomic {
    do
    :: i < PARTS -> run part(i); i++
    :: else -> break
    od;
    i = 0;
    run resizer()
  }
}
