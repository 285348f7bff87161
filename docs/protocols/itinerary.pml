/* An ordered region of the policy `threads` (src/run/threads/crossing.hpp and .cpp): one thread sends messages, two
 * replicas of a farm work on them, one thread puts the stream together again. Whoever sends a message, the owner of the
 * chunk or a replica that steals it, fixes its way under the lock of the first outlet (itinerary::assign, has_room);
 * each thread takes its messages as its list says (inlet::find_leg, ready, next, done; itinerary::merge); a replica
 * sends what comes of a message in one or more parcels, the last of which ends it, and the thread at the end may steal
 * what is there before (outlet::begin_message, send, end_message; inlet::announce, claim, steal_from). The ends of the
 * replicas are messages too, and the end of the stream comes behind them (outlet::close, itinerary::end,
 * agent::finish).
 *
 * A source may wait for ever between two items; whether a chunk is large, and which replica gets it, is left open.
 * Fences, late wake-ups and parking are shown in crossing.pml and idle_set.pml. Here stores are visible at once, a bell
 * is a flag and a permit, who sleeps has announced itself and looked in one step, and what is done under a lock is one
 * step, too; except for the lists, which are read without it.
 *
 * Shown: all items come out once and in order, then what the end hooks of the replicas send, in the order of the
 * replicas, then the end; nothing comes to a replica after its end; the lists never overflow; nothing lies anywhere
 * while everybody sleeps or waits in a source; everybody comes to its end.
 *
 * BROKEN 1: a thief takes no lock.
 * BROKEN 2: a thief does not look whether a parcel lies in the link before what it takes.
 * BROKEN 3: only who waits for anything is woken, not who waits for this very link.
 * BROKEN 4: who waits for room in the itinerary is not told of it.
 * BROKEN 5: the ends of the replicas do not ask for room in the itinerary.
 * BROKEN 6: the end of the stream is told before the ends of the replicas.
 * BROKEN 7: close does not wake the replica whose end has come.
 * BROKEN 8: the thread at the end takes whatever has come, not what its list says.
 * BROKEN 9: a replica is told before the thread behind it, which it may then wake for nothing; the next wake-up is that
 *           of the next end, for which there is no room (in a window of one message).
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define REPLICAS 2
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef WINDOW
#if BROKEN == 9
#define WINDOW 1
#else
#define WINDOW 2        /* messages on their way */
#endif
#endif
#ifndef SLOTS
#define SLOTS 1         /* of a link */
#endif
#define OWN_END 9       /* where a message comes from: it is the thread's own end */
#define hook(replica) (ITEMS + (replica)) /* the item that its end hook sends */

/* The threads: the replicas, the one at the end, the one at the beginning. */
#define THE_END REPLICAS
#define THE_BEGIN (REPLICAS + 1)

/* The itinerary: for each replica and for the end a list of messages, by number and where from. */
byte numbered = 0, merged = 0;
chan legs[REPLICAS + 1] = [WINDOW + 1] of { byte, byte };
#define route_has_room (numbered - merged < WINDOW)

/* The first outlet and its links: items by number, from the first to the one behind the last. */
byte added = 0, gone = 0;
bool lock = false;
chan to_replica[REPLICAS] = [SLOTS] of { byte, byte };
#define link_has_room(r) (len(to_replica[r]) < SLOTS)

/* The outlets of the replicas and their links: the same, for which message, and whether it ends here. */
byte out_added[REPLICAS], out_gone[REPLICAS], out_for[REPLICAS];
chan to_end[REPLICAS] = [SLOTS] of { byte, byte, bool };

/* What is announced, and the bells. */
#define NOBODY 8
#define ANYTHING 7
byte awaited[REPLICAS + 1] = NOBODY;
mtype = { none, links, route };
mtype waits[REPLICAS + 2] = none;
bool asleep[REPLICAS + 2], permit[REPLICAS + 2];
#define idle (awaited[0] == ANYTHING || awaited[1] == ANYTHING)

/* For the proof: the next item to come out. */
byte expected = 0;
byte ended = 0;
bool waiting_in_source = false;

inline made(thread, room) {
  permit[thread] = permit[thread] || (waits[thread] == room && asleep[thread])
}

/* claim and ring */
inline claim(thread, from_link) {
  d_step {
    if
#if BROKEN == 3
    :: awaited[thread] == ANYTHING ->
#else
    :: awaited[thread] == ANYTHING || awaited[thread] == from_link ->
#endif
       awaited[thread] = NOBODY;
       permit[thread] = permit[thread] || asleep[thread]
    :: else
    fi
  }
}

/* In two steps: those behind first, so that a replica at work wakes who already knows what comes. */
inline assign(replica, from_link) {
  assert(len(legs[replica]) <= WINDOW && len(legs[THE_END]) <= WINDOW);
#if BROKEN == 9
  legs[replica]!numbered, from_link
#else
  legs[THE_END]!numbered, replica
#endif
}
inline assign_before(replica, from_link) {
#if BROKEN == 9
  legs[THE_END]!numbered, replica
#else
  legs[replica]!numbered, from_link
#endif
}

inline wait_for(what, room) {
  atomic { waits[me] = what; asleep[me] = true };
  do
  :: room -> break
  :: else -> atomic { permit[me] -> permit[me] = false }
  od;
  atomic { waits[me] = none; asleep[me] = false; permit[me] = false }
}

proctype begin() {
  byte me = THE_BEGIN, to = 0;
more:
  if
  :: added == ITEMS
  :: added > 0 && added < ITEMS -> waiting_in_source = true;
end_in_source:
     false
  :: added < ITEMS ->
     atomic {
       added++;
       if
       :: !idle -> goto more /* nobody wants it, and it is not large */
       :: true
       fi
     }
  fi;
send:
  if
  :: gone == added && added < ITEMS -> goto more
  :: gone == added && added == ITEMS -> goto close
  :: gone < added && !route_has_room -> wait_for(route, route_has_room); goto send
  :: gone < added && route_has_room && link_has_room(0) -> to = 0
  :: gone < added && route_has_room && link_has_room(1) -> to = 1
  :: gone < added && route_has_room && !link_has_room(0) && !link_has_room(1) ->
     wait_for(links, link_has_room(0) || link_has_room(1) || !route_has_room);
     goto send
  fi;
  atomic {
    !lock;
    if
    :: gone == added || !route_has_room -> goto send /* stolen meanwhile */
    :: else -> lock = true; assign(to, THE_BEGIN)
    fi
  };
  assign_before(to, THE_BEGIN);
  atomic { numbered++; to_replica[to]!gone, added; gone = added; lock = false };
  claim(to, THE_BEGIN);
  goto send;

close:
  to = 0;
#if BROKEN == 6
  legs[THE_END]!numbered + REPLICAS, OWN_END;
#endif
  do
  :: to < REPLICAS ->
#if BROKEN != 5
     if
     :: !route_has_room -> wait_for(route, route_has_room)
     :: else
     fi;
#endif
     atomic { !lock -> lock = true; assign(to, OWN_END) };
     assign_before(to, OWN_END);
     atomic { numbered++; lock = false };
#if BROKEN != 7
     claim(to, ANYTHING);
#endif
     to++
  :: else -> break
  od;
#if BROKEN != 6
  legs[THE_END]!numbered, OWN_END;
#endif
  claim(THE_END, ANYTHING);
  ended++
}

/* --- the replicas and the end --- */

inline find_leg() {
  if
  :: !has_leg && len(legs[me]) > 0 -> legs[me]?seq, from; has_leg = true
  :: else
  fi
}

/* inlet::ready */
#define in_link (me == THE_END -> len(to_end[from]) > 0 : len(to_replica[me]) > 0)
#define ready (stolen || (has_leg && (from == OWN_END || in_link)))

inline steal_from_first() {
  if
  :: gone < added ->
#if BROKEN != 1
     !lock;
#endif
     if
     :: len(to_replica[me]) > 0 -> found = true /* that comes first */
     :: len(to_replica[me]) == 0 && gone < added && route_has_room ->
        lock = true;
        first = gone;
        behind = added;
        assign(me, THE_BEGIN);
        stolen = true;
        found = true
     :: len(to_replica[me]) == 0 && (gone == added || !route_has_room)
     fi
  :: else
  fi
}

inline steal_from_replica() {
  if
  :: has_leg && from != OWN_END && out_for[from] == seq && out_gone[from] < out_added[from] ->
     if
#if BROKEN != 2
     :: len(to_end[from]) > 0 -> found = true /* that comes first */
#endif
     :: len(to_end[from]) == 0 || BROKEN == 2 ->
        first = out_gone[from];
        behind = out_added[from];
        out_gone[from] = 0;
        out_added[from] = 0;
        stolen = true;
        found = true
     fi
  :: else
  fi
}

/* worker::sleep, bell::wait: announces what it waits for, looks, also into the chunk that is being filled, parks. */
inline sleep() {
  do
  :: atomic {
       find_leg();
       if
       :: ready -> break
       :: else
       fi;
       told = (awaited[me] != (has_leg -> from : ANYTHING));
       awaited[me] = (has_leg -> from : ANYTHING);
       asleep[me] = true
     };
     atomic {
       if
       :: told && me == THE_END -> steal_from_replica()
       :: told && me != THE_END -> steal_from_first()
       :: !told
       fi;
       if
       :: found -> break
       :: else
       fi
     };
end_parked:
     atomic { permit[me] -> permit[me] = false }
  od;
  if
  :: stolen && me != THE_END -> assign_before(me, THE_BEGIN); atomic { gone = behind; numbered++; lock = false }
  :: else
  fi;
  atomic { told = false; found = false; asleep[me] = false; permit[me] = false; awaited[me] = NOBODY }
}

proctype replica(byte me) {
  byte seq = 0, from = 0, first = 0, behind = 0;
  bool has_leg = false, stolen = false, found = false, told = false, last = false, own_end = false;
next:
  atomic {
    find_leg();
    if
    :: !ready -> goto idle_now
    :: ready && stolen -> stolen = false
    :: ready && !stolen && from == OWN_END -> first = hook(me); behind = first + 1; own_end = true
    :: ready && !stolen && from != OWN_END -> to_replica[me]?first, behind; made(THE_BEGIN, links)
    fi;
    out_for[me] = seq; /* begin_message */
    has_leg = false;
    seq = 0;
    from = 0
  };
item:
  atomic {
    if
    :: first < behind ->
       if
       :: out_gone[me] == out_added[me] -> out_gone[me] = first
       :: else
       fi;
       first++;
       out_added[me] = first;
       if
       :: awaited[THE_END] != me && awaited[THE_END] != ANYTHING -> goto item /* not wanted, and not large */
       :: true
       fi
    :: else -> last = true /* end_message */
    fi
  };
send:
  atomic {
    if
    :: !last && out_gone[me] == out_added[me] -> goto item /* stolen meanwhile */
    :: (last || out_gone[me] < out_added[me]) && len(to_end[me]) == SLOTS -> goto no_room
    :: else -> to_end[me]!out_gone[me], out_added[me], last; out_gone[me] = 0; out_added[me] = 0
    fi
  };
  claim(THE_END, me);
  if
  :: !last -> goto item
  :: last && !own_end -> atomic { last = false; first = 0; behind = 0; out_for[me] = 0 }; goto next
  :: last && own_end -> goto done
  fi;
no_room:
  wait_for(links, len(to_end[me]) < SLOTS);
  goto send;
idle_now:
  sleep();
  goto next;
done:
  assert(len(legs[me]) == 0 && len(to_replica[me]) == 0);
  ended++
}

proctype end() {
  byte me = THE_END, seq = 0, from = 0, first = 0, behind = 0;
  bool has_leg = false, stolen = false, found = false, told = false, last = false;
next:
  atomic {
    find_leg();
    if
    :: !ready -> goto idle_now
    :: ready && stolen -> stolen = false
    :: ready && !stolen && from == OWN_END -> goto done
    :: ready && !stolen && from != OWN_END ->
#if BROKEN == 8
       if
       :: len(to_end[0]) > 0 -> from = 0
       :: len(to_end[1]) > 0 -> from = 1
       fi;
#endif
       to_end[from]?first, behind, last;
       made(from, links)
    fi;
    do
    :: first < behind -> assert(first == expected); expected++; first++
    :: else -> break
    od;
    first = 0;
    behind = 0;
    if
    :: last ->
       assert(seq == merged);
       merged++;
       has_leg = false;
       last = false;
       seq = 0;
       from = 0;
#if BROKEN != 4
       if
       :: numbered - merged <= WINDOW * 3 / 4 -> made(THE_BEGIN, route)
       :: else
       fi
#endif
    :: else
    fi
  };
  goto next;
idle_now:
  sleep();
  goto next;
done:
  assert(seq == merged && expected == hook(REPLICAS));
  ended++
}

init {
  byte i;
  atomic {
    run begin();
    for (i : 0 .. REPLICAS - 1) { run replica(i) };
    run end()
  };
  timeout; /* nothing moves any more */
  assert(ended == REPLICAS + 2 || (waiting_in_source && expected == added))
}
