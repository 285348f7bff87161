/* Who calls the source next (src/run/pool/reservation.hpp; source.cpp: try_source, take_grant; pool.cpp: rest, nap,
 * has_work): a worker that leaves the source with an item may reserve it, and then whoever else is awake leaves it alone
 * and may fall asleep over it. What is on its way is bounded, and comes out in order: who carries the first item makes
 * room for all that are through behind it, and tells nobody, because a worker looks at the source next.
 *
 * A reservation may run out at any time, or never. Registering as idle and being woken are shown in idle_set.pml; what is
 * read and written here without order is ordered by the fence in registering.
 *
 * Shown: the source is not left alone as long as there are items and room for them.
 *
 * BROKEN 1: a worker that finds nothing to do keeps its reservation.
 * BROKEN 2: it lifts it after its last look.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define WORKERS 3
#define NOBODY 9
#define ITEMS 4
#define ROOM 2

bool busy = false;       /* somebody calls the source */
byte reserved = NOBODY;
byte given = 0, next = 0;
bool through[ITEMS];     /* carried, in whatever order */
bool idle[WORKERS];

#define room (given - next < ROOM)
#define may_call (!busy && given < ITEMS && room)

/* Wakes somebody who sleeps, if there is one. */
inline recruit() {
  atomic {
    if
    :: idle[0] -> idle[0] = false
    :: idle[1] -> idle[1] = false
    :: idle[2] -> idle[2] = false
    :: !idle[0] && !idle[1] && !idle[2]
    fi
  }
}

inline lift() {
  if
  :: reserved == me -> reserved = NOBODY
  :: else
  fi
}

proctype worker(byte me) {
  byte item;
  bool kept;
find_work:
  if
  :: atomic { may_call && (reserved == NOBODY || reserved == me) -> busy = true }
  :: atomic { may_call && reserved != NOBODY && reserved != me -> busy = true } /* it has run out */
  :: !may_call || (reserved != NOBODY && reserved != me) -> goto rest
  fi;
  lift();
  item = given;
  given++;
  kept = false;
  if
  :: true -> reserved = me; kept = true
  :: true
  fi;
  busy = false;
  if
  :: !kept -> recruit()
  :: true /* too little to wake somebody for */
  fi;
  atomic { /* carried to its end */
    through[item] = true;
    do
    :: next < ITEMS && through[next] -> next++
    :: else -> break
    od
  };
  goto find_work;

rest:
#if BROKEN == 0
  lift();
#endif
  idle[me] = true;
  if
  :: may_call && (reserved == NOBODY || reserved == me) ->
     atomic {
       if
       :: idle[me] -> idle[me] = false; goto find_work
       :: else
       fi
     };
     recruit(); /* a wake-up that had chosen it is passed on */
     goto find_work
  :: !may_call || (reserved != NOBODY && reserved != me)
  fi;
#if BROKEN == 2
  lift();
#endif
end_asleep:
  !idle[me];
  goto find_work
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORKERS - 1) { run worker(i) }
  };
  timeout; /* nothing moves any more */
  assert(given == ITEMS && next == ITEMS)
}
