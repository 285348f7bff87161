/* Who watches the chunk that the source is filling (src/run/pool/fill.hpp: open, close, watch, look, resign, relieve;
 * pool.cpp: rest, nap, nap_ns, recruit; source.cpp: open, steal): one idle worker naps instead of sleeping, looks at the
 * chunk, and takes what is there if nothing has been added since its last look. Whoever opens a chunk that nobody
 * watches wakes somebody for it.
 *
 * The source may wait for ever at any time. There is other work, of which somebody is told when it comes. How the items
 * leave the chunk is shown in chunk.pml, registering as idle and being woken in idle_set.pml; what is done under the
 * lock of `fill` is one step. A nap ends when there is something to see, so that nothing moves any more when all has
 * come to rest, and looks in vain end the watch after two of them.
 *
 * Shown: no item stays in a chunk for ever while a worker is idle, even if the work that others have lasts for ever.
 *
 * BROKEN 1: who opens a chunk that nobody watches tells nobody.
 * BROKEN 2: a worker offers to watch before it registers as idle.
 * BROKEN 3: who fills stays the watcher.
 * BROKEN 4: looks in vain end the watch although a chunk is open.
 * BROKEN 5: a watcher that finds work on its way to sleep keeps the watch.
 * BROKEN 6: one that comes too late to take what it has seen leaves the watch without a word.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define WORKERS 2
#define FILLER WORKERS  /* a worker, too */
#define NOBODY 9
#define GRANTS 2
#define ITEMS 2         /* in a chunk, at most */
#define WORK 2          /* how often other work comes */

/* fill: open_ and its size, active_, opened_, and what the watcher has seen. */
bool opened = false, live = false;
byte size = 0, count = 0;
byte watcher = NOBODY;
byte seen_count = 0, seen_size = 0;
bool in_vain = false;

byte work = 0;
bool idle[WORKERS];

/* Wakes somebody who sleeps, if there is one. */
inline recruit() {
  atomic {
    if
    :: idle[0] -> idle[0] = false
    :: idle[1] -> idle[1] = false
    :: !idle[0] && !idle[1]
    fi
  }
}

proctype filler() {
  byte grants = 0;
  bool watched = false;
  do
  :: grants < GRANTS ->
     if
     :: atomic { live && watcher == NOBODY -> watcher = FILLER } /* it had nothing to do for a while */
     :: true
     fi;
     atomic {
       grants++;
       opened = true;
       live = true;
       count++;
#if BROKEN != 3
       watcher = (watcher == FILLER -> NOBODY : watcher);
#endif
       watched = (watcher != NOBODY)
     };
#if BROKEN != 1
     if
     :: !watched -> recruit()
     :: else
     fi;
#endif
     do
     :: size < ITEMS -> size++
     :: true -> break
     :: true ->
end_in_source:
        false
     od;
     atomic { opened = false; size = 0 }
  :: else -> break
  od
}

proctype others() {
  byte n = 0;
  do
  :: n < WORK -> n++; work++; recruit()
  :: true -> break
  od
}

#define watches (live && watcher == me)
#define changed (count != seen_count || size != seen_size)
#define something_to_see (changed || size > 0 || (!opened && !in_vain))

inline offer_to_watch() {
  atomic {
    if
    :: live && watcher == NOBODY -> watcher = me
    :: else
    fi
  }
}

proctype worker(byte me) {
  bool tell = false, held_up = false, stole = false;
find_work:
  if
  :: atomic { work > 0 -> work-- } -> goto at_work
  :: work == 0
  fi;

rest:
#if BROKEN == 2
  offer_to_watch();
#endif
  idle[me] = true;
  if
  :: work > 0 ->
     atomic { tell = !idle[me]; idle[me] = false };
     if
     :: tell -> tell = false; recruit()
     :: else
     fi;
     goto leave
  :: else
  fi;
#if BROKEN != 2
  offer_to_watch();
#endif
end_asleep:
  if
  :: !idle[me]
  :: atomic { watches && something_to_see -> idle[me] = false }
  fi;
  atomic { /* look */
    if
    :: watches ->
       held_up = (!changed && size > 0);
#if BROKEN == 4
       live = (changed || !in_vain);
       in_vain = !changed;
#else
       live = (opened || changed || !in_vain);
       in_vain = (!opened && !changed);
#endif
       watcher = (live -> me : NOBODY);
       seen_count = count;
       seen_size = size
    :: else
    fi
  };
  if
  :: held_up ->
     atomic { /* steal, relieve */
       held_up = false;
       stole = size > 0;
#if BROKEN == 6
       watcher = NOBODY;
#else
       watcher = (stole -> NOBODY : watcher);
#endif
       size = 0
     };
     if
     :: stole -> stole = false; recruit(); goto at_work /* it carries on what it has taken */
     :: else
     fi
  :: else
  fi;
  if
  :: work > 0
  :: work == 0 -> goto rest
  fi;

leave:
#if BROKEN != 5
  atomic { /* resign */
    if
    :: watches -> watcher = NOBODY; tell = opened
    :: else
    fi
  };
#endif
  if
  :: tell -> tell = false; recruit()
  :: else
  fi;
  goto find_work;

at_work:
  if
  :: true
  :: true ->
end_at_work:
     false
  fi;
  goto find_work
}

init {
  byte i;
  atomic {
    run filler();
    run others();
    for (i : 0 .. WORKERS - 1) { run worker(i) }
  };
  timeout; /* nothing moves any more */
  assert(size == 0 || (!idle[0] && !idle[1]))
}
