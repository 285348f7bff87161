/* State of keys, divided up among parts (src/run/network/keyed_farm.cpp: divide, unite, begin_one, next_one,
 * set_replicas).
 *
 * BATCHES runs of items are divided up one after the other, WINDOW of them at most on their way; each has something for
 * each of PARTS parts. A part is a node (node.pml): asleep, queued, running. It works on its share of all runs that
 * have been divided, in their order, if fewer than `limit` parts are at work. A run goes on when all parts have done
 * their share. Meanwhile the number of replicas is changed from REPLICAS, 2, to 1 (with -DREPLICAS=1: from 1 to 2).
 *
 * Shown: every part works on its share of every run once, in order; runs go on in order; at most as many parts as there
 * are replicas begin at a time; in the end nothing is left.
 *
 * BROKEN 1: a part that finds all places taken counts itself for a moment.
 * BROKEN 2: that a place is free is told to parts that sleep, not to those that are about to.
 * BROKEN 3: that a place is free is told to nobody.
 * BROKEN 4: going to sleep does not notice a notification that came while the part was running.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef REPLICAS
#define REPLICAS 2
#endif
#define PARTS 3
#define BATCHES 2
#define WINDOW 2

mtype = { idle, queued, running, again };

mtype state[PARTS] = idle;
byte limit = REPLICAS;
byte at_work = 0;
byte next_in = 0, next_out = 0;
byte next[PARTS];           /* the run that a part will work on next */
byte pending[WINDOW];

#define has_work(i) (next[i] < next_in)

inline notify(i) {
  if
  :: state[i] == idle -> state[i] = queued
  :: state[i] == running -> state[i] = again
  :: else
  fi
}

active proctype divider() {
  byte i;
  do
  :: atomic { next_in < BATCHES && next_in - next_out < WINDOW ->
       assert(pending[next_in % WINDOW] == 0);
       pending[next_in % WINDOW] = PARTS;
       next_in++ };
     atomic {
       do
       :: i < PARTS -> notify(i); i++
       :: else -> i = 0; break
       od
     }
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
  byte end_, i;
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
        end_ = next_in;
        do
        :: atomic { next[me] < end_ ->
             assert(pending[next[me] % WINDOW] > 0 && next[me] >= next_out);
             pending[next[me] % WINDOW]--;
             next[me]++ }
        :: atomic { next[me] == end_ -> end_ = 0; mine = false; break }
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
