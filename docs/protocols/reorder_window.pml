/* The reorder window: workers take numbers while there is room, deposit what they have made of them, and try to become
 * the drainer, who releases and looks again.
 *
 * Mirrors: include/thalweg/pipe/reorder_window.hpp: has_room, deposit, try_acquire, take, release
 *
 * A depositor's store of the stamp goes through a store buffer, as on every real core: others see it some time later,
 * but not after the depositor's next read-modify-write.
 *
 * Shown: every item is delivered, once, in order, by one drainer at a time; no deposit is stranded; nobody waits for
 * ever for room.
 *
 * BROKEN 1: the drainer does not look again after its release.
 * BROKEN 2: the drainer looks again before its release, not after.
 * BROKEN 3: a worker takes a number without asking for room.
 * BROKEN 4: try_acquire looks whether somebody drains before it exchanges, as one would with a lock.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define WORKERS 3
#define SLOTS 2
#define ITEMS 4
#define NOTHING 255

byte ticket = 0;        /* next number to be taken */
byte next = 0;          /* next number to be delivered */
bool draining = false;
byte stamp[SLOTS] = NOTHING;
byte content[SLOTS] = NOTHING;

byte buffered[WORKERS] = NOTHING; /* the stamp that a worker has stored and others do not see yet */

byte delivered = 0;     /* for the proof: what came out */
byte drainers = 0;
byte finished = 0;

#define slot(seq) ((seq) % SLOTS)
#define here(seq) (stamp[slot(seq)] == (seq))

#if BROKEN == 3
#define room(seq) true
#else
#define room(seq) ((seq) - next < SLOTS)
#endif

inline drain_buffer(w) {
  if
  :: buffered[w] != NOTHING -> stamp[slot(buffered[w])] = buffered[w]; buffered[w] = NOTHING
  :: else
  fi
}

/* Store buffers drain by themselves, sooner or later. */
proctype memory() {
end:
  do
  :: d_step { buffered[0] != NOTHING -> drain_buffer(0) }
  :: d_step { buffered[1] != NOTHING -> drain_buffer(1) }
  :: d_step { buffered[2] != NOTHING -> drain_buffer(2) }
  od
}

proctype worker(byte me) {
  byte seq, at, item;
  bool was_draining, more;
take:
  if
  :: atomic { ticket < ITEMS && room(ticket) -> seq = ticket; ticket++ }
  :: ticket == ITEMS -> goto done
  fi;

  /* deposit */
  d_step { content[slot(seq)] = seq; buffered[me] = seq };

try: /* try_acquire: an exchange */
#if BROKEN == 4
  if
  :: draining -> goto take
  :: else
  fi;
#endif
  atomic { drain_buffer(me); was_draining = draining; draining = true };
  if
  :: was_draining -> goto take
  :: else
  fi;
  d_step { drainers++; assert(drainers == 1); at = next };
  do
  :: here(at) ->
     d_step { item = content[slot(at)]; at++ };
     next = at;                 /* from here on the slot may be filled again */
     assert(item == delivered); /* the processing */
     delivered++
  :: else -> break
  od;
#if BROKEN == 2
  more = here(at);
  atomic { drainers--; draining = false };
#else
  atomic { drainers--; draining = false }; /* release: an exchange too */
  at = next;
  more = here(at);
#endif
#if BROKEN == 1
  more = false;
#endif
  if
  :: more -> goto try
  :: else -> goto take
  fi;
done:
  finished++
}

init {
  byte i;
  atomic {
    run memory();
    for (i : 0 .. WORKERS - 1) { run worker(i) }
  };
  finished == WORKERS;
  assert(delivered == ITEMS && next == ITEMS)
}
