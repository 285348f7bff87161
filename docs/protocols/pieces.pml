/* A farm whose runs of items are cut short: the pieces of a run, and who works on them.
 *
 * Mirrors: src/run/engine/farm.cpp: replica::take_piece, replica::put_back, replica::take_mine, replica::begin,
 *   replica::give, replica::drain, replica::ready, replica::notify, farm::set_replicas
 * Mirrors: src/run/engine/node.cpp: node::notify, node::release
 *
 * The source gives RUNS runs of LEN items. A replica is a node (node.pml): asleep, queued, running; of REPLICAS of them
 * the first `limit` take items: first what waits of the oldest run that was cut short, as much of it as it likes, then
 * a new run, which gets a place in the window. It works on an item or more of what it has. What is left becomes a piece
 * of the run, behind the one it has worked on, for an idle replica; only then is its own piece done. Under the lock the
 * results of the first pieces of the first run go on, up to one that is not done; when all are through, the window
 * moves on. Meanwhile the number of replicas is changed, once, or never. Behind the farm there is always room, and who
 * notifies knows how many replicas there are: what happens if not is the matter of resize.pml.
 *
 * A piece is named by its first item, which stays: what is cut off is cut off at its end.
 *
 * Shown: every item is worked on once, and comes out in order; when nothing moves any more all have come out, none is
 * left waiting, and the window is empty, though the replica that put something back may be one no more.
 *
 * BROKEN 1: what is put back comes behind all pieces of the run.
 * BROKEN 2: the window moves on when the first piece of a run is done.
 * BROKEN 3: nobody is told of what was put back.
 * BROKEN 4: the replica's own piece is done before the rest of it is put back.
 * BROKEN 5: the results of a piece that is done go on although an earlier piece of the run is not done.
 * BROKEN 6: a replica that is about to sleep does not look for pieces that wait.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef RUNS
#define RUNS 2
#endif
#ifndef LEN
#define LEN 4
#endif
#ifndef REPLICAS
#define REPLICAS 2
#endif
#define WINDOW 2
#define PIECES (LEN + 1)
#define NOBODY 255

mtype = { idle, queued, running, again };
mtype = { waits, in_hand, done };

/* Items are numbered through all runs. A run's pieces: where each begins, how many items it has. */
typedef run_of_items {
  byte pieces;
  byte first[PIECES];
  byte length[PIECES];
  mtype what[PIECES]
};
run_of_items window[WINDOW];
byte next_seq = 0, next_out = 0;
byte waiting = 0;                    /* pieces that wait */
byte in_channel = 0;                 /* runs */
bool source_over = false, changed = false;

mtype state[REPLICAS] = idle;
byte limit = REPLICAS;
byte worked[RUNS * LEN];             /* how often */
byte came = 0;

#define slot window[k % WINDOW]

inline notify_replica(i) {
  if
  :: state[i] == idle -> state[i] = queued
  :: state[i] == running -> state[i] = again
  :: else
  fi
}

/* The first one stands for all. */
inline notify() {
  atomic {
    n = limit;
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
    od;
    n = 0;
    i = 0
  }
}

active proctype source() {
  byte given = 0, n, i;
  do
  :: given < RUNS -> atomic { in_channel++; given++ }; notify()
  :: given == RUNS -> break
  od;
  source_over = true
}

proctype resizer() {
  byte n, i, m;
  if
  :: true -> atomic { limit = 3 - limit; m = limit };
     do
     :: m > 0 -> notify(); m--
     :: m == 0 -> break
     od
  :: true
  fi;
  changed = true
}

/* Puts a piece into a run's list, at place `at`. Under the lock. */
inline insert(at, its_first, its_length, its_what) {
  i = slot.pieces;
  do
  :: i > at ->
     slot.first[i] = slot.first[i - 1];
     slot.length[i] = slot.length[i - 1];
     slot.what[i] = slot.what[i - 1];
     i--
  :: else -> break
  od;
  slot.first[at] = its_first;
  slot.length[at] = its_length;
  slot.what[at] = its_what;
  slot.pieces++;
  i = 0
}

/* The place of the piece that begins with item `mine`, in `p`. */
inline find_mine() {
  p = 0;
  do
  :: slot.first[p] != mine -> p++
  :: else -> break
  od
}

/* Under the lock. */
inline take() {
  mine = NOBODY;
  if
  :: waiting > 0 && me < limit ->
     k = next_out;
     p = 0;
     do
     :: p < slot.pieces && slot.what[p] == waits -> break
     :: p < slot.pieces && slot.what[p] != waits -> p++
     :: p == slot.pieces -> k++; p = 0; assert(k < next_seq)
     od;
     mine = slot.first[p];
     got = slot.length[p];
     if
     :: got > 1 ->                     /* as much as is worth taking */
        got--;
        slot.length[p] = got;
        insert((p + 1), (mine + got), 1, waits)
     :: waiting--
     fi;
     slot.what[p] = in_hand
  :: waiting == 0 && me < limit && in_channel > 0 && next_seq - next_out < WINDOW ->
     in_channel--;
     k = next_seq;
     mine = k * LEN;
     got = LEN;
     assert(slot.pieces == 0);
     insert(0, mine, LEN, in_hand);
     next_seq++
  :: else
  fi;
  p = 0
}

/* Its piece, of which it has worked on `did` items, is done; and what is next goes on. Under the lock. */
inline finish_piece() {
  find_mine();
  slot.length[p] = did;
  slot.what[p] = done;
  p = k;                               /* its run */
  advanced = false;
  k = next_out;
  do
  :: k < next_seq ->
#if BROKEN == 5
     i = 0;
     do
     :: i < slot.pieces && slot.what[i] != done -> i++
     :: else -> break
     od;
     if
     :: i > 0 && i < slot.pieces ->
        assert(slot.first[i] == came);
        came = came + slot.length[i];
        slot.length[i] = 0
     :: else
     fi;
     i = 0;
#endif
     do
     :: slot.pieces > 0 && slot.what[0] == done ->
        assert(slot.length[0] == 0 || slot.first[0] == came);
        came = came + slot.length[0];
        slot.pieces--;
        i = 0;
        do
        :: i < slot.pieces ->
           slot.first[i] = slot.first[i + 1];
           slot.length[i] = slot.length[i + 1];
           slot.what[i] = slot.what[i + 1];
           i++
        :: else -> break
        od;
        slot.first[i] = 0;
        slot.length[i] = 0;
        slot.what[i] = 0;
        i = 0;
#if BROKEN == 2
        slot.pieces = 0;
        break
#endif
     :: else -> break
     od;
     if
     :: slot.pieces > 0 -> break
     :: else -> next_out++; k++; advanced = true
     fi
  :: else -> break
  od;
  k = p;
  p = 0
}

proctype replica(byte me) {
  byte n, i, k, p, mine = NOBODY, got, did, tell;
  bool advanced, ready;
end:
  do
  :: atomic { state[me] == queued -> state[me] = running };
     atomic { take() };
     if
     :: mine != NOBODY ->
        if
        :: in_channel > 0 -> notify()
        :: else
        fi;
        atomic {
          did = 0;
          do
          :: did < got ->
             worked[mine + did]++;
             assert(worked[mine + did] == 1);
             did++
          :: did > 0 -> break          /* cut short, or through */
          od
        };
#if BROKEN == 4
        atomic { finish_piece() };
#endif
        if
        :: did < got ->
           atomic {
#if BROKEN == 1
             insert(slot.pieces, (mine + did), (got - did), waits);
#elif BROKEN == 4
             insert(0, (mine + did), (got - did), waits);
#else
             find_mine();
             insert((p + 1), (mine + did), (got - did), waits);
             p = 0;
#endif
             waiting++
           };
#if BROKEN != 3
           atomic {
             tell = (got - did < limit -> got - did : limit);
             do
             :: tell > 0 -> notify(); tell--
             :: tell == 0 -> break
             od
           }
#endif
        :: else
        fi;
#if BROKEN != 4
        atomic { finish_piece() };
#endif
        atomic { mine = NOBODY; got = 0; did = 0; k = 0 };
        if
        :: advanced -> advanced = false; notify()
        :: else
        fi
     :: else
     fi;
     /* release */
     do
     :: atomic {
          ready = (me < limit &&
#if BROKEN != 6
                   (waiting > 0 || (in_channel > 0 && next_seq - next_out < WINDOW))
#else
                   (in_channel > 0 && next_seq - next_out < WINDOW)
#endif
                  )
        };
        if
        :: ready -> atomic { ready = false; state[me] = queued }; break
        :: else ->
           atomic {
             if
             :: state[me] == running -> state[me] = idle; break
             :: state[me] == again -> state[me] = running
             fi
           }
        fi
     od
  od
}

/* When nothing moves any more. */
active proctype observer() {
  timeout -> assert(source_over && changed);
  assert(came == RUNS * LEN && waiting == 0 && next_out == next_seq)
}

init {
  byte r = 0;
  atomic {
    if
    :: limit = 2
    :: limit = 1
    fi;
    do
    :: r < REPLICAS -> run replica(r); r++
    :: else -> break
    od;
    r = 0;
    run resizer()
  }
}
