/* A line of stages that one thread executes as one loop, in place of its nodes, while that is faster.
 *
 * Mirrors: src/run/engine/whole_line.cpp: whole_line::quiet, whole_line::set, whole_line::enter, whole_line::leave,
 *   whole_line::enter_if_quiet
 * Mirrors: src/run/engine/line_node.cpp: line_node::ready, line_node::execute, line_node::use
 * Mirrors: src/run/engine/node.cpp: node::notify, node::release, node::ask_for_room
 * Mirrors: src/run/engine/farm.cpp: replica::quiet, replica::notify
 *
 * The head gives N items, one each time it is executed. Behind it is one node, a serial one or a replica of a farm, and
 * behind that a channel of the line to somebody who takes items, at any time. Both are nodes (node.pml): asleep,
 * queued, running. Apart, an item goes through the channel between them; the node takes what is there if there is room
 * behind it, and may have to keep some of it: a serial node the rest of a run that was cut short, a farm results in its
 * window, if other replicas have used the room meanwhile. Whole, the head calls the node's operator itself and gives to
 * the channel behind. Each time it has been executed it may begin to drain, or leave the loop: SWITCHES times. While it
 * drains it takes nothing until the node is quiet.
 *
 * Who wants room asks for it and looks again. Who makes room notifies the last node of the line, and while the line is
 * whole, instead of it, the head. The mode goes through the store buffer of what executes the head, unless it is
 * drained by a fence.
 *
 * Shown: the operator is never called by the loop and by its node at once; items come out in order; when nothing moves
 * any more all have come out, and both nodes have ended.
 *
 * BROKEN 1: a node that goes to sleep does not notify the head that drains.
 * BROKEN 2: the head does not look at what a node keeps: the rest of a run, a farm's window.
 * BROKEN 3: a notification is not passed on to the head while the line is whole.
 * BROKEN 4: no fence between storing the mode and looking at the node.
 * BROKEN 5: the head looks whether the node sleeps before it looks into the channel to it.
 * BROKEN 6: the head looks at what a node keeps before it looks whether the node sleeps.
 * BROKEN 7: the loop is not left when what a call of it still sends has gone to the node.
 */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef N
#define N 4
#endif
#define SWITCHES 3
#define KEPT 2

mtype = { idle, queued, running, again };
mtype = { apart, draining, whole };

mtype head = queued, own = idle;
mtype mode = apart, written = apart;  /* as others see it, and as the head has written it */
bool is_farm;
chan between = [KEPT] of { byte };
chan behind = [1] of { byte };
chan kept = [KEPT] of { byte };       /* by the node */
bool head_waits = false, last_waits = false;  /* somebody has asked for room */
bool in_loop = false, in_node = false;
bool closed = false, head_ended = false, node_ended = false;
byte given = 0, came = 0;

active proctype memory() {
end:
  do
  :: atomic { mode != written -> mode = written }
  od
}

inline call(state) {
  atomic {
    if
    :: state == idle -> state = queued
    :: state == running -> state = again
    :: else
    fi
  }
}

/* The node; `seen` is the caller's. */
inline notify_node() {
#if BROKEN != 3
  seen = mode;
#endif
  if
  :: seen == whole -> call(head)
  :: else -> call(own)
  fi;
  seen = apart
}

/* By the head: what it does as one step with others drains its store buffer. */
#define flush mode = written

inline set(m) {
  atomic {
    written = m;
#if BROKEN != 4
    flush
#endif
  }
}

inline is_quiet() {
#if BROKEN == 5
  quiet = (own == idle);
  quiet = quiet && len(between) == 0;
#else
  quiet = (len(between) == 0);
#if BROKEN == 6
  quiet = quiet && len(kept) == 0;
#endif
  quiet = quiet && own == idle;
#endif
#if BROKEN != 2 && BROKEN != 6
  quiet = quiet && len(kept) == 0
#endif
}

active proctype the_head() {
  mtype seen = apart;
  bool quiet = false;
  byte switches = 0;
  do
  :: atomic { head == queued -> head = running; flush };
     if
     :: written == draining && given < N ->
        is_quiet();
        if
        :: quiet -> quiet = false; set(whole)
        :: else -> goto release
        fi
     :: else
     fi;
     if
     :: given == N ->
        set(apart);
        atomic { flush; closed = true };
        notify_node();
        head_ended = true;
        break
     :: given < N && written == apart && (len(between) < KEPT) ->
        atomic { flush; given++; between ! given };
        seen = apart;
        call(own);
        if
        :: switches < SWITCHES -> switches++; set(draining)
        :: true
        fi
     :: given < N && written == whole && (len(behind) < 1) ->
        in_loop = true;
        assert(!in_node);
        in_loop = false;
        atomic { flush; given++; behind ! given };
        if
        :: switches < SWITCHES ->
           switches++;
#if BROKEN != 7
           set(apart);
#endif
           /* the call may send another one, which the node gets */
           if
           :: given < N && (len(between) < KEPT) ->
              atomic { flush; given++; between ! given };
              notify_node()
           :: true
           fi;
           seen = apart
        :: true
        fi
     :: else
     fi;
release:
     do
     :: if
        :: written == draining -> is_quiet()
        :: written != draining && given == N -> quiet = true
        :: written == apart && given < N ->
           quiet = (len(between) < KEPT);
           if
           :: !quiet -> atomic { flush; head_waits = true }; quiet = (len(between) < KEPT)
           :: else
           fi
        :: written == whole && given < N ->
           quiet = (len(behind) < 1);
           if
           :: !quiet -> atomic { flush; last_waits = true }; quiet = (len(behind) < 1)
           :: else
           fi
        fi;
        if
        :: quiet -> atomic { quiet = false; head = queued }; break
        :: else ->
           atomic {
             flush;
             if
             :: head == running -> head = idle; break
             :: head == again -> head = running
             fi
           }
        fi
     od
  od
}

active proctype the_node() {
  byte item;
  bool ready = false;
end:
  do
  :: atomic { own == queued -> own = running };
     if
     :: !is_farm && len(behind) == 1
     :: else ->
        if
        :: (len(kept) == 0) ->
           do
           :: len(between) > 0 && (len(kept) < KEPT) ->
              between ? item;
              if
              :: is_farm ->
                 in_node = true;
                 assert(!in_loop);
                 in_node = false
              :: else
              fi;
              atomic { kept ! item; item = 0 }
           :: (len(between) == 0) -> break
           :: len(kept) > 0 -> break
           od;
           if
           :: atomic { head_waits && (len(between) < KEPT) -> head_waits = false }; call(head)
           :: else
           fi
        :: else
        fi;
        do
        :: len(kept) > 0 && (len(behind) < 1) ->
           if
           :: !is_farm ->
              in_node = true;
              assert(!in_loop);
              in_node = false
           :: else
           fi;
           kept ? <item>;
           behind ! item;
           atomic { kept ? item; item = 0 }
        :: (len(kept) == 0) || len(behind) == 1 -> break
        :: !is_farm -> break                  /* cut short */
        od;
        if
        :: closed && (len(between) == 0) && (len(kept) == 0) -> node_ended = true
        :: else
        fi
     fi;
     /* release */
     do
     :: ready = (len(kept) > 0 || len(between) > 0 || (closed && !node_ended));
        if
        :: ready && len(behind) == 1 -> last_waits = true; ready = (len(behind) < 1)
        :: else
        fi;
        if
        :: ready -> atomic { ready = false; own = queued }; break
        :: else ->
           atomic {
             if
             :: own == running -> own = idle
             :: own == again -> own = running; goto once_more
             fi
           };
#if BROKEN != 1
           if
           :: mode == draining -> call(head)
           :: else
           fi;
#endif
           break
        fi;
once_more:
        skip
     od
  od
}

active proctype who_takes() {
  byte item;
  mtype seen = apart;
end:
  do
  :: atomic { behind ? item -> assert(item == came + 1); came = item; item = 0 };
     if
     :: atomic { last_waits && (len(behind) < 1) -> last_waits = false }; notify_node()
     :: else
     fi
  od
}

/* When nothing moves any more. */
active proctype observer() {
  timeout -> assert(came == N && head_ended && node_ended)
}

init {
  if
  :: is_farm = true
  :: is_farm = false
  fi
}
