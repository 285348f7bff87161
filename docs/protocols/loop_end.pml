/* How a loop of nodes ends.
 *
 * Mirrors: src/run/engine/node.cpp: loop::empty, loop::left, node::take, node::leave_loop, node::hand_over,
 *   node::inputs_ended, node::end
 *
 * Two nodes: A takes items from outside and from B; B takes what A sends and sends some of it back to A. `inside`
 * counts the items in the loop: up before an item enters or comes into being, down after it has been worked on and what
 * has become of it has been handed over. When the channel from outside has ended and the counter is zero, A ends, then
 * B: each runs an end hook, which may send to those behind it.
 *
 * The source sends ITEMS items and closes the channel. Each item goes round up to ROUNDS times.
 *
 * Shown: nothing reaches a node that has ended; at the end nothing is inside and all has come out; both nodes end.
 *
 * BROKEN 1: only the counter is looked at, not whether the channel from outside has ended.
 * BROKEN 2: the counter goes down before what has become of the item is counted.
 * BROKEN 3: the one that counts down to zero does not notify the node whose turn it is to end.
 * BROKEN 4: B may end before A has.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#define ITEMS 2
#define ROUNDS 2

byte outside = 0;           /* items in the channel from outside */
bool closed = false;
byte to_a[3], to_b[3];      /* items in the channels of the loop, by how often they have gone round */
byte inside = 0;
byte ended = 0;             /* how many nodes have ended, in order */
bool a_ended = false, b_ended = false;
bool notified_a = true, notified_b = false;
byte out = 0, hooks = 0;

#define to_a_any (to_a[0] + to_a[1] + to_a[2] > 0)
#define to_b_any (to_b[0] + to_b[1] + to_b[2] > 0)
#if BROKEN == 1
#define loop_empty (inside == 0)
#else
#define loop_empty (closed && outside == 0 && inside == 0)
#endif

inline left() {             /* something has left the loop */
#if BROKEN != 3
  if
  :: loop_empty ->
     if
     :: ended == 0 -> notified_a = true
     :: ended == 1 -> notified_b = true
     :: else
     fi
  :: else
  fi
#else
  skip
#endif
}

active proctype source() {
  byte i = 0;
  do
  :: i < ITEMS -> atomic { outside++; i++ }; notified_a = true
  :: i == ITEMS -> break
  od;
  closed = true;
  notified_a = true;
  left()
}

active proctype node_a() {
  byte rounds;
  bool fresh;
  do
  :: atomic { !a_ended && notified_a -> notified_a = false };
     do
     :: atomic { to_a_any ->
          fresh = false;
          if
          :: to_a[0] > 0 -> to_a[0]--; rounds = 0
          :: to_a[1] > 0 -> to_a[1]--; rounds = 1
          :: to_a[2] > 0 -> to_a[2]--; rounds = 2
          fi };
        goto work
     :: !to_a_any && outside > 0 ->
        fresh = true;
        rounds = 0;
        inside++;               /* first: the loop must not look empty meanwhile */
        atomic { outside-- };
work:
#if BROKEN == 2
        inside--;
        inside++;
#else
        inside++;
#endif
        assert(!b_ended);
        to_b[rounds]++;
        notified_b = true;
#if BROKEN != 2
        inside--;
#endif
        left()
     :: !to_a_any && outside == 0 -> break
     od;
     if
     :: ended == 0 && loop_empty ->
        /* the end hook sends one item to B */
        inside++;
        to_b[ROUNDS]++;
        hooks++;
        notified_b = true;
        a_ended = true;
        ended++;
        left()
     :: else
     fi
  :: a_ended -> break
  :: timeout -> assert(false)    /* it would never end */
  od
}

active proctype node_b() {
  byte rounds;
  do
  :: atomic { !b_ended && notified_b -> notified_b = false };
     do
     :: atomic { to_b_any ->
          if
          :: to_b[0] > 0 -> to_b[0]--; rounds = 0
          :: to_b[1] > 0 -> to_b[1]--; rounds = 1
          :: to_b[2] > 0 -> to_b[2]--; rounds = 2
          fi };
        if
        :: rounds < ROUNDS ->
#if BROKEN == 2
           inside--;
#endif
           inside++;
           assert(!a_ended);
           to_a[rounds + 1]++;
           notified_a = true
        :: rounds < ROUNDS -> out++
#if BROKEN == 2
           ; inside--
#endif
        :: rounds == ROUNDS -> out++
#if BROKEN == 2
           ; inside--
#endif
        fi;
#if BROKEN != 2
        inside--;
#endif
        left()
     :: !to_b_any -> break
     od;
     if
     :: (ended == 1 || (BROKEN == 4 && ended == 0)) && loop_empty ->
        b_ended = true;
        ended++;
        assert(inside == 0 && !to_a_any && !to_b_any)
     :: else
     fi
  :: b_ended -> break
  od;
  assert(out == ITEMS + hooks)
}
