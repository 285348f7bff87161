/* Going to sleep and waking up: a worker that finds nothing registers, executes a fence, looks again and parks; a
 * producer publishes, executes a fence, and looks whether anybody is registered.
 *
 * Mirrors: include/thalweg/pipe/idle_set.hpp: register_idle, cancel_idle, park, wake_one, someone_idle
 * Mirrors: include/thalweg/pipe/parker.hpp: prepare, park, give_permit, wake_owner
 * Mirrors: src/run/engine/worker_group.cpp: ready_queue::push, submit, call
 *
 * Stores of the producers go through a store buffer, as on every real core: others see them some time later, unless the
 * producer's fence drains it. (A worker registers under a lock, with an atomic read-modify-write; its fence keeps its
 * look behind that.)
 *
 * Shown: when everything has come to rest, no work lies there while workers sleep; a worker that wakes up is not in the
 * set any more; a sleeping thread is woken only by a wake-up meant for it.
 *
 * BROKEN 1: the producer has no fence.
 * BROKEN 2: the worker does not look again after it has registered.
 * BROKEN 3: the permit is given outside the lock.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define WORKERS 2
#define PRODUCERS 2
#define items(producer) (2 - (producer)) /* how many a producer publishes */

/* Published work. `written` is what the producer has stored, `visible` what has left its buffer. */
byte written[PRODUCERS], visible[PRODUCERS], taken[PRODUCERS];
byte finished = 0;

/* The set. What is done under its lock is one step here. Any registered worker may be chosen: the order of the stack
 * does not matter for what is shown. */
bool idle[WORKERS];
byte count = 0;

/* The parkers: a permit on a futex word. */
mtype = { no_permit, permit, asleep };
mtype state[WORKERS] = no_permit;
bool sleeping[WORKERS];  /* in the kernel */

#define work (visible[0] > taken[0] || visible[1] > taken[1])

inline fence_of(producer) {
#if BROKEN != 1
  visible[producer] = written[producer]
#else
  skip
#endif
}

/* Store buffers drain by themselves, sooner or later. */
proctype memory() {
end:
  do
  :: d_step { visible[0] < written[0] -> visible[0]++ }
  :: d_step { visible[1] < written[1] -> visible[1]++ }
  od
}

inline wake_one() {
  if
  :: count == 0
  :: else ->
     atomic {
       if
       :: idle[0] -> chosen = 0
       :: idle[1] -> chosen = 1
       :: !idle[0] && !idle[1] -> goto woken
       fi;
       idle[chosen] = false;
       count--;
#if BROKEN != 3
       was = state[chosen];
       state[chosen] = permit
#endif
     };
#if BROKEN == 3
     atomic { was = state[chosen]; state[chosen] = permit };
#endif
     if
     :: was == asleep -> sleeping[chosen] = false /* futex_wake */
     :: else
     fi
  fi;
woken:
  skip
}

proctype producer(byte me) {
  byte chosen;
  mtype was;
  do
  :: written[me] == items(me) -> break
  :: else ->
     written[me]++;
     fence_of(me);
     wake_one()
  od;
  finished++
}

proctype worker(byte me) {
look:
  atomic {
    if
    :: visible[0] > taken[0] -> taken[0]++; goto look
    :: visible[1] > taken[1] -> taken[1]++; goto look
    :: else
    fi
  };

  /* register_idle */
  state[me] = no_permit;
  atomic { assert(!idle[me]); idle[me] = true; count++ };
#if BROKEN != 2
  if
  :: work -> /* cancel_idle; if somebody has chosen this worker already, it looks for work all the same */
     atomic {
       if
       :: idle[me] -> idle[me] = false; count--
       :: else
       fi
     };
     goto look
  :: else
  fi;
#endif

  /* park */
  if
  :: atomic { state[me] == permit -> state[me] = no_permit }
  :: atomic { state[me] == no_permit -> state[me] = asleep };
     do
     :: atomic { state[me] == asleep -> sleeping[me] = true }; /* futex_wait, which compares */
end_asleep:
        !sleeping[me]
     :: atomic { state[me] == permit -> state[me] = no_permit; break }
     od
  fi;
  assert(!idle[me]);
  goto look
}

init {
  byte i;
  atomic {
    run memory();
    for (i : 0 .. PRODUCERS - 1) { run producer(i) };
    for (i : 0 .. WORKERS - 1) { run worker(i) }
  };
  timeout; /* nothing moves any more */
  assert(finished == PRODUCERS);
  assert(taken[0] == items(0) && taken[1] == items(1))
}
