/* The ring: positions with the cached position of the other side, sleeping on both sides, close from any side, and the
 * end of the stream.
 *
 * Mirrors: include/thalweg/pipe/ring.hpp: wait_for_room, publish_tail, wait_for_items, publish_head, wake_consumer,
 *   wake_producer, close
 *
 * Each side's store of its own position goes through a store buffer: the other side sees it some time later, unless a
 * heavy fence (membarrier) drains all buffers. Closing drains its own, since it is a read-modify-write with release.
 *
 * Shown: items come out in order and none is lost or overwritten; the end never overtakes data: a consumer that sees
 * the end has had everything that the producer pushed before it closed; nobody sleeps for ever, whichever closes and
 * whenever; a producer gets on when there is room, even if the consumer waits for exactly that.
 *
 * BROKEN 1: the consumer takes "closed" for the end without looking for items again.
 * BROKEN 2: a side that goes to sleep executes a light fence only.
 * BROKEN 3: close does not wake those who sleep.
 * BROKEN 4: a producer that sleeps does not wake up on its own.
 */

#ifndef BROKEN
#define BROKEN 0
#endif

#define CAPACITY 3
#define ENOUGH 2        /* free slots that are worth waking the producer for */
#define ITEMS 5

byte slots[CAPACITY];

byte tail = 0, visible_tail = 0; /* producer's position: written, and seen by others */
byte head = 0, visible_head = 0; /* consumer's position */

/* The word both sleep on. */
#define CLOSED 1
#define CONSUMER_SLEEPS 2
#define PRODUCER_SLEEPS 4
byte signals = 0;
bool consumer_asleep = false, producer_asleep = false; /* in the kernel */

byte accepted = 0, consumed = 0; /* for the proof */
bool closed_from_the_side = false;
bool producer_gone = false;

#define is_closed (signals & CLOSED)

inline heavy_fence() {
#if BROKEN != 2
  atomic { visible_tail = tail; visible_head = head }
#else
  skip
#endif
}

proctype memory() {
end:
  do
  :: d_step { visible_tail < tail -> visible_tail++ }
  :: d_step { visible_head < head -> visible_head++ }
  od
}

inline close() {
  atomic { signals = signals | CLOSED };
#if BROKEN != 3
  atomic { consumer_asleep = false; producer_asleep = false } /* futex_wake_all */
#endif
}

inline wake(who) {
  atomic { before = signals; signals = signals & (7 - who) };
  if
  :: before & who -> atomic { consumer_asleep = false; producer_asleep = false }
  :: else
  fi
}

proctype producer() {
  byte head_seen = 0, seen, before;
  do
  :: accepted == ITEMS ->
     d_step { visible_tail = tail }; /* the release of close */
     close();
     break
  :: else ->
     if
     :: tail - head_seen == CAPACITY -> head_seen = visible_head
     :: else
     fi;
     do /* wait_for_room */
     :: is_closed -> goto done
     :: else ->
        if
        :: tail - head_seen < CAPACITY -> break
        :: else -> head_seen = visible_head
        fi;
        if
        :: tail - head_seen < CAPACITY -> break
        :: else
        fi;
        atomic { signals = signals | PRODUCER_SLEEPS; seen = signals };
        heavy_fence();
        head_seen = visible_head;
        if
        :: tail - head_seen == CAPACITY && !is_closed ->
           atomic { producer_asleep = (signals == seen) }; /* futex_wait, which compares */
           if
           :: !producer_asleep
#if BROKEN != 4
           /* The nap ends. Only where it is needed, so that it hides no lost wake-up. */
           :: tail - visible_head < CAPACITY && CAPACITY - (tail - visible_head) < ENOUGH ->
              producer_asleep = false
#endif
           fi
        :: else
        fi;
        atomic { signals = signals & (7 - PRODUCER_SLEEPS) }
     od;
     slots[tail % CAPACITY] = accepted;
     accepted++;
     tail++; /* publish_tail; a light fence does nothing at run time */
     if
     :: signals & CONSUMER_SLEEPS -> wake(CONSUMER_SLEEPS)
     :: else
     fi
  od;
done:
  producer_gone = true
}

inline publish_head() {
  head = position;
  if
  :: signals & PRODUCER_SLEEPS ->
     if
     :: CAPACITY - (visible_tail - position) >= ENOUGH -> wake(PRODUCER_SLEEPS)
     :: else
     fi
  :: else
  fi
}

proctype consumer() {
  byte position = 0, tail_seen = 0, seen, before;
  do
  :: atomic { true -> closed_from_the_side = true }; /* it has had enough */
     close();
     break
  :: true ->
     /* wait_for_items */
     tail_seen = visible_tail;
     do
     :: tail_seen != position || is_closed -> break
     :: else ->
        atomic { signals = signals | CONSUMER_SLEEPS; seen = signals };
        heavy_fence();
        tail_seen = visible_tail;
        if
        :: tail_seen == position && !is_closed ->
           atomic { consumer_asleep = (signals == seen) };
           !consumer_asleep
        :: else
        fi;
        atomic { signals = signals & (7 - CONSUMER_SLEEPS) };
        tail_seen = visible_tail
     od;
#if BROKEN != 1
     tail_seen = visible_tail;
#endif
     if
     :: tail_seen == position -> /* the end */
        assert(closed_from_the_side || consumed == ITEMS);
        break
     :: else
     fi;
     /* The gulp, or a part of it; positions go back after every quarter, and after the last. */
     do
     :: position < tail_seen ->
        assert(slots[position % CAPACITY] == consumed);
        consumed++;
        position++;
        if
        :: publish_head()
        :: position < tail_seen /* later */
        fi
     :: position > head || position == tail_seen -> break
     od;
     publish_head();
     if
     :: true
     :: true -> (tail - head == CAPACITY || producer_gone) /* waits for what comes after the producer's next pushes */
     fi
  od
}

/* A third thread: cancels the run, at any time or never. */
proctype canceller() {
  if
  :: atomic { true -> closed_from_the_side = true };
     close()
  :: true
  fi
}

init {
  atomic {
    run memory();
    run producer();
    run consumer();
    run canceller()
  }
}
