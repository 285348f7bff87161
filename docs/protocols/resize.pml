/* Changing the number of replicas of a farm while it runs.
 *
 * Mirrors: src/run/engine/farm.cpp: replica::notify, replica::ready, replica::take_mine, replica::drain,
 *   replica::all_done, farm::set_replicas
 * Mirrors: src/run/engine/node.cpp: node::notify, node::release
 *
 * A farm has REPLICAS replicas, of which the first `limit` may take items. A replica is a node (node.pml): asleep,
 * queued, running; there are as many threads as replicas. An item is taken under the lock and gets a number; what
 * becomes of it waits in a window until all before it have gone on. Items go to a free replica. Or they are dealt out:
 * one replica takes a run of items out of the channel, `target` names the replica whose turn it is, and that one alone
 * takes the next of them. Meanwhile the number of replicas is changed CHANGES times, by one; it begins with any.
 *
 * The source gives N items, one by one, notifies the farm of each, and may stop for ever after any of them. What it
 * puts into the channel goes through a store buffer: others see it later, unless the source has passed a fence.
 *
 * Shown: every item is worked on once, by one replica, and comes out in order; at the end, or when the source has
 * stopped, nothing is left in the channel, dealt out but not taken, or in the window, whatever the replicas were; the
 * end comes once, behind all items.
 *
 * BROKEN 1: who notifies looks how many replicas there are before what it has put into the channel can be seen.
 * BROKEN 2: only the replica whose turn it is is ready, though it may be a replica no more.
 * BROKEN 3: nobody is notified of a change.
 * BROKEN 4: the replica whose turn it was finds that it is another's, and does not notify that one.
 * BROKEN 5: going to sleep does not notice a notification that came while the replica was running.
 * BROKEN 6: nobody is notified that there is room in the window.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef N
#define N 3
#endif
#ifndef REPLICAS
#define REPLICAS 2
#endif
#ifndef CHANGES
#define CHANGES 1
#endif
#define WINDOW 2
#define NOBODY 255

mtype = { idle, queued, running, again };

bool deals;                 /* the items are dealt out */
byte limit = 1;
mtype state[REPLICAS] = idle;
byte target = NOBODY;

byte buffered = 0;          /* items that the source has put in, not yet seen by others */
byte in_channel = 0;
byte taken_out = 0;         /* of the channel */
byte holds = 0;             /* items of a run that are being dealt out */
byte next_seq = 0, next_out = 0;
bool done[WINDOW];
bool closed = false, source_over = false, ended = false;
byte changes = 0;

#define replica_of(item, n) (((item) == 0 -> 0 : 1) % (n))
#define all_done (closed && buffered == 0 && in_channel == 0 && !holds && target == NOBODY && next_out == next_seq)
#define room (next_seq - next_out < WINDOW)

inline flush_stores() {
  in_channel = in_channel + buffered;
  buffered = 0
}

inline notify_replica(i) {
  if
  :: state[i] == idle -> state[i] = queued
  :: state[i] == running -> state[i] = again
  :: else
  fi
}

/* The first one stands for all. `stores`: the caller is the source, whose stores are seen when it passes a fence. */
inline notify(stores) {
  atomic {
#if BROKEN != 1
    if
    :: stores -> flush_stores()
    :: else
    fi;
#endif
    n = limit;
    next = target
  };
  atomic {
    if
    :: stores -> flush_stores()
    :: else
    fi;
    if
    :: deals && next < n -> notify_replica(next)
    :: else ->
       i = 0;
       do
       :: i < n && state[i] == idle -> notify_replica(i); break
       :: i < n && state[i] != idle -> i++
       :: i >= n ->
          i = 0;
          do
          :: i < n -> notify_replica(i); i++
          :: else -> break
          od;
          break
       od
    fi;
    n = 0;
    next = 0;
    i = 0
  }
}

active proctype memory() {
end:
  do
  :: atomic { buffered > 0 -> flush_stores() }
  od
}

active proctype source() {
  byte given = 0, n, next, i;
  if
  :: deals = true
  :: deals = false
  fi;
  do
  :: given < N -> buffered++; given++; notify(true)
  :: given == N -> atomic { flush_stores(); closed = true }; notify(true); break
  :: given < N -> break                /* it waits for the outside, for ever */
  od;
  source_over = true
}

proctype resizer() {
  byte n, next, i, k, m;
  m = limit;
  do
  :: changes < CHANGES ->
     atomic {
       if
       :: m < REPLICAS -> m++
       :: m > 1 -> m--
       fi;
       limit = m;
       changes++
     };
#if BROKEN != 3
     k = 0;
     do
     :: k < m -> notify(false); k++
     :: else -> break
     od
#endif
  :: changes == CHANGES -> break
  od;
  changes++
}

/* Under the lock. */
inline take_mine() {
  mine = NOBODY;
  if
  :: !room
  :: room && !deals ->
     if
     :: me < limit && in_channel > 0 ->
        in_channel--;
        mine = taken_out;
        taken_out++
     :: else
     fi
  :: room && deals ->
     if
     :: !holds && in_channel > 0 -> holds = in_channel; in_channel = 0
     :: else
     fi;
     if
     :: holds ->
        target = replica_of(taken_out, limit);
        mine = (target == me -> taken_out : NOBODY);
        if
        :: mine != NOBODY ->
           holds--;
           taken_out++;
           target = NOBODY;
           if
           :: holds > 0 -> target = replica_of(taken_out, limit); notify_replica(target)
           :: else
           fi
        :: else ->
#if BROKEN != 4
           notify_replica(target)
#else
           skip
#endif
        fi
     :: else
     fi
  fi;
  if
  :: mine != NOBODY ->
     assert(mine == next_seq);
     done[next_seq % WINDOW] = false;
     next_seq++
  :: else
  fi;
  next = 0
}

proctype replica(byte me) {
  byte n, next, i, mine = NOBODY;
  bool advanced;
end:
  do
  :: atomic { state[me] == queued -> state[me] = running };
     atomic { take_mine() };
     if
     :: mine != NOBODY ->
        if
        :: in_channel > 0 -> notify(false)
        :: else
        fi;
        /* it works on the item */
        atomic {
          assert(!done[mine % WINDOW] && mine >= next_out && !ended);
          done[mine % WINDOW] = true;
          advanced = false;
          do
          :: next_out < next_seq && done[next_out % WINDOW] ->
             done[next_out % WINDOW] = false;
             next_out++;
             advanced = true
          :: else -> break
          od;
          mine = NOBODY
        };
#if BROKEN != 6
        if
        :: advanced -> advanced = false; notify(false)
        :: else
        fi
#endif
     :: else ->
        atomic {
          if
          :: all_done && !ended -> assert(next_out == N); ended = true
          :: else
          fi
        }
     fi;
     /* release */
     do
     :: atomic {
          n = limit;
          next = target;
          if
          :: ended -> i = false
          :: !ended && all_done -> i = true
          :: !ended && !all_done ->
#if BROKEN == 2
             i = room && (next != NOBODY -> next == me : me < n && in_channel > 0)
#else
             i = room && (next == me || (me < n && (next == NOBODY -> in_channel > 0 : next >= n)))
#endif
          fi;
          n = 0;
          next = 0
        };
        if
        :: i -> atomic { i = 0; state[me] = queued }; break
        :: else ->
           atomic {
             if
             :: state[me] == running -> state[me] = idle; break
#if BROKEN == 5
             :: state[me] == again -> state[me] = idle; break
#else
             :: state[me] == again -> state[me] = running
#endif
             fi
           }
        fi
     od
  od
}

/* When nothing moves any more. */
active proctype observer() {
  timeout ->
  assert(source_over && changes > CHANGES);
  assert(in_channel == 0 && buffered == 0 && !holds && next_out == next_seq);
  assert(!closed || (ended && next_out == N))
}

init {
  byte s = 0;
  atomic {
    do
    :: limit < REPLICAS -> limit++
    :: break
    od;
    do
    :: s < REPLICAS -> run replica(s); s++
    :: else -> break
    od;
    s = 0;
    run resizer()
  }
}
