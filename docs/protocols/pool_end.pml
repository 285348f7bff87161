/* The end of the stream under the policy `pool` (src/run/pool/hooks.cpp: carry_end, close, finish_node,
 * finish_own_farm, fire_farm_timers; moving.cpp: drain, deliver, notify; source.cpp: end_source; engine.hpp: has_all,
 * is_complete, is_ending, calls_for_hooks, is_drainable; pool.cpp: find_work, has_work, rest): a source, a farm with a
 * timer and with threads of its own (agents), the serial node behind it, and the last node.
 *
 *     source --> farm (2 agents, 2 replicas) --> behind --> last
 *
 * A worker executes the source, the node behind the farm and the last node; the agents execute the farm and the node
 * behind it. A chunk comes to the node behind the farm by its number; what it holds is in it still, or stays in the
 * replica's group, as in `batch`. A group goes on when its timer fires, at any time, or with the end hook: both past
 * all numbers (deliver). So the region must not be closed while a timer is being served (outside, closing).
 *
 * What others have shown is one step here: deposits and takes in a reorder window (reorder_window.pml), registering as
 * idle and being woken (idle_set.pml), what is done under a lock. Who finds work that cannot be done yet looks again
 * and again; here it waits until it can, lest that hide that somebody sleeps for ever. There are no store buffers:
 * whatever another thread depends on is stored with sequential consistency, or before a read-modify-write or a full
 * fence, after which somebody is told. BROKEN 2 is what a store buffer would do.
 *
 * Shown: every item comes to the last node, once, and before its end; each end hook runs once, after all items of its
 * node or replica, and nothing comes there later, nor does a timer; all threads leave.
 *
 * BROKEN 1: who serves a timer does not say so.
 * BROKEN 2: close looks for those who serve a timer before others see its own store.
 * BROKEN 3: who serves a timer does not ask whether it is too late.
 * BROKEN 4: every agent that finds the farm's end hooks due calls them.
 * BROKEN 5: the node behind the farm does not wait for the farm's end hooks.
 * BROKEN 6: the farm's end hooks do not wait for who serves a timer.
 * BROKEN 7: who finishes a node does not tell those who execute the next.
 * BROKEN 8: the last node does not wake those who sleep.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#ifndef ITEMS
#define ITEMS 2         /* each in a chunk of its own */
#endif
#define REPLICAS 2
#define AGENTS 2
#define WORKER AGENTS   /* threads: the agents and the worker */
#define UNKNOWN 255

/* The source. */
byte made = 0;
bool source_ended = false;

/* The farm. */
byte ready = 0;
bool taken[REPLICAS];           /* somebody is at work in the replica */
bool started[REPLICAS];
byte group[REPLICAS];
bool farm_busy = false, farm_finished = false;

/* The node behind: its inbox, and those who come past it. */
byte arrived = 0, next = 0, upstream_end = UNKNOWN, sent = 0;
byte holds[ITEMS];              /* items in the chunks that have arrived */
bool draining = false, finished = false, closing = false;
byte outside = 0;

/* The last node. */
bool last_here[ITEMS];
byte last_holds[ITEMS];
byte last_next = 0, last_upstream_end = UNKNOWN;
bool last_draining = false, last_finished = false;

bool idle[AGENTS + 1];
bool done = false;

/* For the proof. */
byte delivered = 0;
bool replica_ended[REPLICAS], node_ended = false;

#define has_all (next == upstream_end)
#if BROKEN == 5
#define is_complete (has_all && !finished)
#else
#define is_complete (has_all && !finished && farm_finished)
#endif
#define calls_for_hooks (has_all && !farm_busy)
#define is_drainable (arrived > next || is_complete || calls_for_hooks)
#define last_has_next (last_next < ITEMS && last_here[last_next])
#define last_is_complete (last_next == last_upstream_end && !last_finished)
#define has_ready (ready > 0 && (!taken[0] || !taken[1]))
#define may_be_due ((group[0] > 0 && !taken[0]) || (group[1] > 0 && !taken[1]))

inline wake_an_agent() {
  atomic {
    if
    :: idle[0] -> idle[0] = false
    :: idle[1] -> idle[1] = false
    :: else
    fi
  }
}

/* --- the last node --- */

inline drain_last() {
  do
  :: atomic {
       if
       :: last_draining -> break
       :: else -> last_draining = true
       fi;
       do
       :: last_has_next ->
          assert(!last_finished);
          delivered = delivered + last_holds[last_next];
          last_next++
       :: else -> break
       od
     };
     if
     :: last_is_complete ->
        assert(delivered == ITEMS);
        last_finished = true;
        done = true;
#if BROKEN != 8
        atomic { idle[0] = false; idle[1] = false; idle[WORKER] = false }
#endif
     :: else
     fi;
     last_draining = false;
     if
     :: last_has_next
     :: else -> break
     fi
  od
}

/* A chunk has come to the last node, or the end has. The worker sees for itself. */
inline tell_last() {
#if BROKEN != 7
  idle[WORKER] = false
#else
  skip
#endif
}

/* --- the node behind the farm --- */

inline send_on(n) {
  d_step { last_holds[seq] = n; last_here[seq] = true };
  idle[WORKER] = false
}

inline execute(n) {
  assert(!node_ended);
  if
  :: n > 0 -> seq = sent; sent++
  :: else
  fi
}

inline close() {
#if BROKEN == 2
  closed = (outside == 0);
  if
  :: closed -> closing = true
  :: else
  fi
#else
  closing = true;
  closed = (outside == 0);
  if
  :: closed
  :: else -> closing = false
  fi
#endif
}

inline finish_node() {
  assert(!node_ended && arrived == next);
  node_ended = true;
  finished = true;
  last_upstream_end = sent;
  tell_last()
}

inline drain() {
  do
  :: atomic {
       if
       :: draining -> break
       :: else -> draining = true
       fi;
       do
       :: out == 0 && arrived > next -> out = holds[next]; next++; execute(out)
       :: else -> break
       od
     };
     if
     :: calls_for_hooks -> wake_an_agent()
     :: else
     fi;
     if
     :: out == 0 && is_complete ->
        close();
        if
        :: closed -> closed = false; finish_node()
        :: else
        fi
     :: else
     fi;
     draining = false;
     if
     :: out > 0 -> send_on(out); out = 0
     :: out == 0 && arrived > next
     :: else -> break
     fi
  od
}

/* Past the numbers. What has come by number meanwhile is seen to by carry_end, which follows. */
inline deliver(n) {
  atomic { !draining -> draining = true; execute(n) };
  draining = false;
  send_on(n)
}

/* --- the farm --- */

inline work_on_chunk() {
  assert(!replica_ended[r]);
  atomic {
    if
    :: out = 1
    :: out = 0; group[r]++
    fi;
    taken[r] = false;
    r = 0
  };
  d_step { holds[arrived] = out; arrived++; out = 0 }
}

inline serve_timers() {
#if BROKEN != 1
  outside++;
#endif
  if
  :: closing && BROKEN != 3
  :: !closing || BROKEN == 3 ->
     do
     :: r < REPLICAS ->
        atomic {
          if
          :: group[r] > 0 && !taken[r] -> taken[r] = true; n = group[r]
          :: else
          fi
        };
        if
        :: n > 0 ->
           d_step { assert(!replica_ended[r]); group[r] = 0; due = due + n; n = 0 };
           taken[r] = false
        :: else
        fi;
        r++
     :: else -> break
     od;
     r = 0
  fi;
  if
  :: due > 0 -> deliver(due); due = 0
  :: else
  fi;
#if BROKEN != 1
  outside--
#else
  skip
#endif
}

inline finish_own_farm() {
#if BROKEN != 4
  atomic { other = farm_busy; farm_busy = true };
#endif
  if
  :: other -> other = false; goto find_work
  :: else ->
#if BROKEN == 6
     closed = true;
#else
     close();
#endif
     if
     :: !closed -> farm_busy = false; goto find_work
     :: else ->
        closed = false;
        do
        :: r < REPLICAS ->
           if
           :: started[r] ->
              d_step {
                assert(!replica_ended[r] && !taken[r]);
                replica_ended[r] = true;
                n = group[r];
                group[r] = 0
              };
              if
              :: n > 0 -> deliver(n); n = 0
              :: else
              fi
           :: else
           fi;
           r++
        :: else -> break
        od;
        r = 0;
#if BROKEN == 4
        farm_busy = true;
#endif
        farm_finished = true
     fi
  fi
}

/* --- the threads --- */

#define agent_has_work (done || is_drainable || has_ready)
#define worker_has_work (done || is_drainable || last_has_next || last_is_complete || !source_ended)

/* Registers, looks again, sleeps; an agent until its timer fires. */
inline rest(has_work, timer) {
  idle[me] = true;
  if
  :: has_work -> idle[me] = false
  :: else ->
     if
     :: !idle[me]
     :: timer -> idle[me] = false
     fi
  fi
}

proctype agent(byte me) {
  byte out = 0, n = 0, r = 0, due = 0, seq = 0;
  bool closed = false, other = false;
find_work:
  if
  :: done -> goto leave
  :: arrived > next || (is_complete && outside == 0) || (calls_for_hooks && idle[1 - me])
  :: may_be_due -> serve_timers()
  :: calls_for_hooks && (outside == 0 || BROKEN == 6) -> finish_own_farm()
  :: atomic { has_ready -> ready--; r = (taken[me] -> 1 - me : me); taken[r] = true; started[r] = true };
     work_on_chunk()
  :: !agent_has_work -> rest(agent_has_work, may_be_due); goto find_work
  fi;
  drain(); /* after a chunk of its own, carry_end */
  goto find_work;
leave:
  skip
}

proctype worker() {
  byte me = WORKER, out = 0, seq = 0;
  bool closed = false;
find_work:
  if
  :: done -> goto leave
  :: last_has_next || last_is_complete -> drain_last(); goto find_work
  :: arrived > next || (is_complete && outside == 0) || (calls_for_hooks && (idle[0] || idle[1]))
  :: made < ITEMS -> atomic { made++; ready++ }; wake_an_agent(); goto find_work
  :: made == ITEMS && !source_ended -> atomic { source_ended = true; upstream_end = made }
  :: !worker_has_work -> rest(worker_has_work, false); goto find_work
  fi;
  drain();
  goto find_work;
leave:
  skip
}

init {
  byte i;
  atomic {
    for (i : 0 .. AGENTS - 1) { run agent(i) };
    run worker()
  };
  _nr_pr == 1; /* all have left */
  assert(node_ended && delivered == ITEMS)
}
