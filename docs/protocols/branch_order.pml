/* Order behind branches: ranks, runs of items, and promises.
 *
 * Mirrors: include/thalweg/pattern/split.hpp: branching::number, branching::upto
 * Mirrors: include/thalweg/pattern/merge.hpp: merge::in_order, merge::upto
 * Mirrors: src/run/engine/channel.cpp: channel::push, channel::pop
 * Mirrors: src/run/engine/node.cpp: node::take
 * Mirrors: src/run/engine/line_node.cpp: line_node::give
 * Mirrors: src/run/engine/port_node.cpp: port_node::give, port_node::comes_to_end
 *
 * A split gives its items ranks and sends each of them into one of two branches, or (a tee) into both. At the end of
 * each run it promises both branches that nothing below the next rank will come. Branch 0 has two stages: the first
 * passes on what comes, the second drops items, or makes two of one, and may send one more at its end, of rank END.
 * Branch 1 has one stage, which drops items and may send one at its end. A stage takes a run of items, or a part of it,
 * hands over what it has as soon as that fills a run, and at the end of the run passes on the promise, even if all
 * items were dropped. In a channel short runs are joined. The merge gives the item of the lowest place (rank, input) as
 * soon as no other input can have a lower one. The split may stop for ever after any run, or come to its end.
 *
 * Shown: the merge gives items in the order of their ranks, those of the same rank in the order of the inputs, also
 * what end hooks have sent; everything that was sent comes out, even if the split has stopped for ever and nothing has
 * ended; the merge ends.
 *
 * Channels have room for everything: what happens if not is the matter of node.pml.
 *
 * BROKEN 1: a stage passes on that nothing at all will come, from a sender that has ended, though its own end hook may
 *           still send.
 * BROKEN 2: the promise is handed over in the middle of a run.
 * BROKEN 3: nothing is handed over where all items of a run were dropped.
 * BROKEN 4: that nothing below a rank will come is taken to say that nothing of that rank will come.
 * BROKEN 5: the first part of a run carries the promise of the whole.
 * BROKEN 6: an input counts as ended while items wait in it.
 * BROKEN 7: a promise without items is kept only if there is a run in the channel that it can be added to.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef N
#define N 2          /* items that the split sends, with ranks from 1 on */
#endif
#define FULL 2       /* items in a run */
#define MOST 6       /* runs in a channel */
#define LEAST 0      /* no promise */
#define END (N + 1)  /* the rank of what end hooks send */
#define NEVER (N + 2)

/* Edges: from the split to both branches, within branch 0, and to the inputs of the merge. */
#define TO_FIRST 0
#define TO_OTHER 1
#define WITHIN 2
#define TO_MERGE 3

typedef chunk {
  byte n;
  byte item[FULL];     /* 2 * rank, + 1 for the second of two */
  byte upto
};
typedef pipe {
  chunk filling;         /* the sender's */
  byte runs;
  chunk waiting[MOST];
  bool closed;
  chunk held             /* the receiver's */
};
pipe channel[5];

bool stopped = false;  /* the split waits for ever */
byte sent = 0;         /* by the last stages of both branches */
byte came = 0;         /* out of the merge */
byte k_, p_;

/* What the sender is filling goes into the channel, with a promise. */
inline push(e, promise) {
  d_step {
    p_ = promise;
    if
    :: channel[e].filling.n == 0 && channel[e].runs > 0 ->
       if
       :: p_ > channel[e].waiting[channel[e].runs - 1].upto -> channel[e].waiting[channel[e].runs - 1].upto = p_
       :: else
       fi
#if BROKEN == 7
    :: channel[e].filling.n == 0 && channel[e].runs == 0 -> skip
    :: channel[e].filling.n > 0 &&
#else
    :: (channel[e].filling.n > 0 || channel[e].runs == 0) &&
#endif
       (channel[e].runs == 0 || channel[e].waiting[channel[e].runs - 1].n + channel[e].filling.n > FULL) ->
       assert(channel[e].runs < MOST);
       channel[e].waiting[channel[e].runs].n = channel[e].filling.n;
       channel[e].waiting[channel[e].runs].item[0] = channel[e].filling.item[0];
       channel[e].waiting[channel[e].runs].item[1] = channel[e].filling.item[1];
       channel[e].waiting[channel[e].runs].upto = p_;
       channel[e].runs++
    :: channel[e].filling.n > 0 && channel[e].runs > 0 &&
       channel[e].waiting[channel[e].runs - 1].n + channel[e].filling.n <= FULL ->
       k_ = 0;
       do
       :: k_ < channel[e].filling.n ->
          channel[e].waiting[channel[e].runs - 1].item[channel[e].waiting[channel[e].runs - 1].n] =
            channel[e].filling.item[k_];
          channel[e].waiting[channel[e].runs - 1].n++;
          k_++
       :: else -> break
       od;
       if
       :: p_ > channel[e].waiting[channel[e].runs - 1].upto -> channel[e].waiting[channel[e].runs - 1].upto = p_
       :: else
       fi
    fi;
    channel[e].filling.n = 0;
    channel[e].filling.item[0] = 0;
    channel[e].filling.item[1] = 0;
    k_ = 0;
    p_ = 0
  }
}

inline put(e, what) {
  d_step {
    channel[e].filling.item[channel[e].filling.n] = what;
    channel[e].filling.n++
  }
}

/* Takes the first run, or the first item of it; what is promised goes with its last item. */
inline pop(e, part) {
  d_step {
    channel[e].held.item[0] = channel[e].waiting[0].item[0];
    if
    :: part ->
       channel[e].held.n = 1;
       channel[e].held.item[1] = 0;
       channel[e].held.upto = (BROKEN == 5 -> channel[e].waiting[0].upto : LEAST);
       channel[e].waiting[0].n = 1;
       channel[e].waiting[0].item[0] = channel[e].waiting[0].item[1];
       channel[e].waiting[0].item[1] = 0
    :: else ->
       channel[e].held.n = channel[e].waiting[0].n;
       channel[e].held.item[1] = channel[e].waiting[0].item[1];
       channel[e].held.upto = channel[e].waiting[0].upto;
       k_ = 1;
       do
       :: k_ < channel[e].runs ->
          channel[e].waiting[k_ - 1].n = channel[e].waiting[k_].n;
          channel[e].waiting[k_ - 1].item[0] = channel[e].waiting[k_].item[0];
          channel[e].waiting[k_ - 1].item[1] = channel[e].waiting[k_].item[1];
          channel[e].waiting[k_ - 1].upto = channel[e].waiting[k_].upto;
          k_++
       :: else -> break
       od;
       channel[e].runs--;
       channel[e].waiting[channel[e].runs].n = 0;
       channel[e].waiting[channel[e].runs].item[0] = 0;
       channel[e].waiting[channel[e].runs].item[1] = 0;
       channel[e].waiting[channel[e].runs].upto = 0;
       k_ = 0
    fi;
    if
    :: BROKEN != 1 && channel[e].held.upto > END -> channel[e].held.upto = END
    :: else
    fi
  }
}

inline take(e) {
  if
  :: pop(e, false)
  :: channel[e].waiting[0].n == 2 -> pop(e, true)
  fi
}

/* A full run goes at once. What the split promises holds at any time. */
inline deal(e) {
  put(e, 2 * rank);
  if
  :: channel[e].filling.n == FULL -> push(e, rank + 1)
  :: else
  fi
}

active proctype split() {
  byte rank = 1;
  do
  :: atomic { rank <= N ->
       if
       :: deal(TO_FIRST)
       :: deal(TO_OTHER)
       :: deal(TO_OTHER); deal(TO_FIRST)
       fi;
       rank++;
       if
       :: skip                         /* its run goes on */
       :: push(TO_FIRST, rank); goto flushed
       fi }
  :: atomic { rank > N -> push(TO_FIRST, rank) };
     atomic { push(TO_OTHER, rank); channel[TO_FIRST].closed = true; channel[TO_OTHER].closed = true };
     break;
flushed:
     atomic {
       push(TO_OTHER, rank);
       if
       :: skip
       :: stopped = true; break
       fi }
  od
}

#if BROKEN == 2
#define in_call channel[from].held.upto
#else
#define in_call LEAST
#endif

inline send(what) {
  put(to, what);
  if
  :: channel[to].filling.n == FULL -> push(to, in_call); handed = true
  :: else
  fi
}

/* What lies between two steps that another process can see is one step. */
proctype stage(byte from; byte to; bool plain) {
  byte next, what;
  bool busy, handed, twice;
end:
  do
  :: atomic { busy || channel[from].runs > 0 ->
       if
       :: !busy -> take(from); next = 0; busy = true
       :: else
       fi;
       handed = false;
       do
       :: handed -> break
       :: !handed && twice -> twice = false; send(what + 1); sent++
       :: !handed && !twice && next < channel[from].held.n ->
          what = channel[from].held.item[next];
          next++;
          if
          :: send(what); sent = sent + (1 - plain)
          :: !plain                    /* dropped */
          :: !plain && from == WITHIN -> send(what); sent++; twice = true
          fi
       :: !handed && !twice && next == channel[from].held.n ->
          if
          :: BROKEN == 3 && channel[to].filling.n == 0
          :: else -> push(to, channel[from].held.upto)
          fi;
          d_step {
            channel[from].held.n = 0;
            channel[from].held.item[0] = 0;
            channel[from].held.item[1] = 0;
            channel[from].held.upto = 0
          }
          busy = false;
          next = 0;
          what = 0;
          break
       od;
       handed = false }
  :: atomic { !busy && channel[from].runs == 0 && channel[from].closed ->
       if
       :: !plain -> send(2 * END); sent++
       :: skip
       fi;
       handed = false;
       push(to, NEVER) };
     channel[to].closed = true;
     break
  od
}

#define port(i) channel[TO_MERGE + (i)]
#define left(i) (port(i).held.n > at[i])
#define rank_of(i) (left(i) -> port(i).held.item[at[i]] / 2 : (over[i] -> NEVER : upto[i]))
#if BROKEN == 4
#define goes(i, other) (left(i) && rank_of(i) <= rank_of(other))
#else
#define goes(i, other) (left(i) && (rank_of(i) < rank_of(other) || (rank_of(i) == rank_of(other) && (i) < (other))))
#endif
#if BROKEN == 6
#define comes_to_end(i) (port(i).closed)
#else
#define comes_to_end(i) (port(i).closed && port(i).runs == 0)
#endif

active proctype merge() {
  byte at[2], upto[2];
  bool over[2];
  byte last = 0, i;
  do
  :: atomic { !left(0) && port(0).runs > 0 -> i = 0; goto offered }
  :: atomic { !left(1) && port(1).runs > 0 -> i = 1;
offered:
       take(TO_MERGE + i);
       at[i] = 0;
       if
       :: port(i).held.upto > upto[i] -> upto[i] = port(i).held.upto
       :: else
       fi;
       goto choose }
  :: atomic { !left(0) && !over[0] && comes_to_end(0) -> over[0] = true; goto choose }
  :: atomic { !left(1) && !over[1] && comes_to_end(1) -> over[1] = true;
choose:
       do
       :: goes(0, 1) -> i = 0; goto given
       :: goes(1, 0) -> i = 1;
given:
          /* the place, and which of two */
          assert(port(i).held.item[at[i]] / 2 * 4 + 2 * i + port(i).held.item[at[i]] % 2 > last);
          last = port(i).held.item[at[i]] / 2 * 4 + 2 * i + port(i).held.item[at[i]] % 2;
          at[i]++;
          came++
       :: else -> break
       od;
       i = 0 }
  :: over[0] && over[1] && !left(0) && !left(1) -> assert(came == sent); break
  :: timeout -> assert(stopped && came == sent); break
  od
}

init {
  atomic {
    run stage(TO_FIRST, WITHIN, true);
    run stage(WITHIN, TO_MERGE, false);
    run stage(TO_OTHER, TO_MERGE + 1, false)
  }
}
