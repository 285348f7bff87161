/* A run that adapts itself: its loop decides, acts and verifies, while others replace it, change numbers by hand, and
 * the run ends.
 *
 * Mirrors: src/run/adapting.cpp: adapting::live, adapting::look, adapting::decide, adapting::end, engine::steer
 *
 * A loop sleeps for a window, or until it is told to end. Then it looks at the run, verifies its last decision, asks the
 * planner, and changes the number of replicas, which it notes as a decision. A user replaces the loop once by another
 * one, and changes the number by hand at any time. The run may be done at any time. Who waits for the run ends the loop
 * when it is done.
 *
 * Shown: at most one loop changes the run at a time; when the one who waits has returned, no loop changes anything; each
 * change of a loop is noted once, in the order of the changes, and is verified at most once, by the loop that made it;
 * all return.
 *
 * BROKEN 1: a loop that is told to end is not waited for.
 * BROKEN 2: loops are replaced without the lock, so that the one who waits may end a loop that is gone, and miss the new
 *           one.
 * BROKEN 3: a change is noted before it is made, and the run ends in between.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#define WINDOWS 3 /* that a loop sees at most */
#define MOST 3    /* replicas */
#define NONE 2

bool done = false;      /* the run */
bool returned = false;  /* who waits for it */
bool over[2] = false;   /* loop 0, and the one that replaces it */
bool gone[2] = true;
byte adapts = NONE;     /* which loop there is */
bool steering = false;
bool resizing = false;
byte replicas = 1;
byte acting = 0;        /* loops that are changing the run */
byte changes = 0, notes = 0, verified = 0;

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

/* Under the lock of the engine, as all changes of a number are. */
inline resize(n) {
  lock(resizing);
  replicas = n;
  unlock(resizing)
}

inline end(i) {
  over[i] = true;
#if BROKEN != 1
  gone[i]  /* joined */
#endif
}

proctype loop(byte i) {
  byte windows = 0, unseen = 0, before;
  do
  :: over[i] || done -> break
  :: windows < WINDOWS ->
     windows++;
     /* looks, and verifies what it decided in an earlier window */
     before = replicas;
     if
     :: done -> break
     :: else
     fi;
     if
     :: unseen > 0 ->
        d_step { verified = verified + unseen; unseen = 0 }
     :: true
     fi;
     /* the planner asks for another number, or for none */
     if
     :: before < MOST ->
        acting++;
        assert(acting == 1);
        assert(!returned);
#if BROKEN == 3
        notes++;
        if
        :: over[i] || done -> acting--; break
        :: else
        fi;
        resize(before + 1);
        changes++;
#else
        resize(before + 1);
        changes++;
        assert(notes + 1 == changes);  /* in the order of the changes */
        notes++;
#endif
        unseen++;
        acting--
     :: true
     fi
  :: windows == WINDOWS -> over[i] || done -> break
  od;
  gone[i] = true
}

proctype user() {
  if
  :: true ->
     /* engine::steer */
#if BROKEN != 2
     lock(steering);
#endif
     if
     :: adapts != NONE -> end(0); adapts = NONE
     :: else
     fi;
     if
     :: done
     :: !done ->
        atomic { gone[1] = false; run loop(1) };
        adapts = 1
     fi;
#if BROKEN != 2
     unlock(steering)
#endif
  :: true
  fi;
  if
  :: resize(2)
  :: true
  fi
}

proctype waits() {
  done;
  /* let_go */
  lock(steering);
  if
  :: adapts != NONE -> end(adapts)
  :: else
  fi;
  unlock(steering);
  returned = true
}

init {
  atomic {
    gone[0] = false;
    adapts = 0;
    run loop(0);
    run user();
    run waits()
  };
  done = true;
  returned;
  (_nr_pr == 1 || BROKEN);
  assert(changes == notes);
  assert(verified <= notes)
}
