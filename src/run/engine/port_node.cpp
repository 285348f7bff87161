// A `tw::stage`: a node with any number of inputs and outputs.
//
// State: which inputs have ended (`closed_`), `unread_`, and the chunks of its outputs, which a source lends.
// Writers: who executes the node; senders read `unread_`, and a receiver may take items out of what is lent.
// Invariant: an input has ended when its channel is closed and nothing waits in it; in a loop, when the loop
//   is empty. A source looks after each item whether the receiver sleeps deeply, a receiver looks into what
//   is lent after it has said so: one of the two sees the other. A promise goes on with the end of a run
//   only.
// Models: docs/protocols/node.pml, docs/protocols/branch_order.pml.
#include <thalweg/model/gate.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <mutex>

#include "../looks.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class port_node::own_context final : public thread_context {
 public:
  own_context(port_node& n, run_state& r, thread_log& l, std::size_t c) : thread_context(r, l, c), node_(n) {}

  void flush(std::size_t port, pipe::chunk_base& items) override {
    if (interrupted()) throw thalweg::cancelled{};
    auto& o = node_.out[port];
    if (node_.sources()) {
      if (!source_interrupted()) wait_while_paused();
      if (source_interrupted()) throw thalweg::cancelled{};  // what has been sent goes on when it has ended
    }
    if (node_.sources() && o.to != nullptr && items.size() < o.to->batch()) {
      pipe::light_fence();  // pairs with the heavy one of a receiver of another group that falls asleep
      if (!o.to->to->hungry(o.to->to_port)) return;
    }
    node_.give(*at, port, true);
  }

  worker* at = nullptr;

 private:
  port_node& node_;
};

port_node::port_node(graph_engine& n, std::size_t component, std::size_t stage, model::ported& ports)
    : node(n, stage, stage + 1),
      ports_(ports),
      gateway_(ports.gateway()),
      door_(gateway_ == nullptr ? nullptr : gateway_->door),
      component_(component) {
  any_output_will_do = ports.chooses_outputs();
}

port_node::~port_node() {
  if (door_) door_->forget(*this);  // the stage itself may be gone
}

void port_node::resumed() {
  if (sources()) return notify();
  if (kept_open()) door_->ring();
}

void port_node::rung() {
  if (!net_.over()) notify();
}

void port_node::run_over() {
  if (gateway_ != nullptr) door_->forget(*this);
  ports_.run_over();
}

template <class F> void port_node::attempt(F&& f) {
  if (!net_.run().guard(component_, position_, 0, std::forward<F>(f))) throw thalweg::cancelled{};
}

void port_node::prepare(worker& w) {
  (void)w;
  if (ctx_) return;
  if (gateway_ != nullptr) door_->listen(*this);
  auto& run = net_.run();
  log_ = &run.counters.new_log(first_, 1);
  ctx_ = std::make_unique<own_context>(*this, run, *log_, component_);
  ctx_->limit_bytes = std::size_t{1} << 20;
  backs_.resize(in.size());
  closed_.assign(in.size(), false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto& o = out[i];
    if (o.to == nullptr) {
      ports_.outputs()[i]->attach(nullptr, 1);
      continue;
    }
    o.filling = ports_.make_chunk(i);
    ports_.outputs()[i]->watch(o.to);
    ports_.outputs()[i]->bound_bytes(o.to->run_bytes());
    o.filling->ranked = o.to->ranked;
    if (in.empty()) o.to->lend(o.filling.get());
  }
  sent_ = sent_by_all();
  attempt([&] { ports_.start({0, 1}, 0); });
  attach(paced, false);
}

// What is sent from now on comes from such items.
void port_node::attach(bool paced_items, bool ranked_items) {
  ctx_->paced = paced_items;
  ctx_->ranked = ranked_items || gives_ranks;
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto& o = out[i];
    if (o.to == nullptr) continue;
    if (o.filling->paced != paced_items && o.filling->empty()) {
      // Who stole the last of it may still look at it.
      const std::lock_guard hold(o.filling->filling());
      o.filling->paced = paced_items;
    }
    ports_.outputs()[i]->attach(o.filling.get(), in.empty() ? 1 : limit_of(o));
  }
}

// Nothing more will come on this input.
bool port_node::comes_to_end(std::size_t port) const {
  return in[port]->in_loop ? inputs_ended() : in[port]->ended();
}

// The stage has been asked, takes nothing of what is there, and nothing can come that would change that.
bool port_node::is_stuck() const {
  if (kept_open()) return false;
  bool left = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto* p = ports_.inputs()[i];
    left = left || p->left() > 0;
    // An end that has come, but of which it has not been told, is something new for it.
    if (p->left() == 0 && !(p->pushed() ? comes_to_end(i) : closed_[i])) return false;
  }
  return left;
}

// What it has not read when it was asked last, or what waits behind that.
bool port_node::has_items(std::size_t port) const noexcept {
  return !wants(port) || in[port]->items() > 0;
}

std::string port_node::what_waits() const {
  std::string held, missing;
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto& text = has_items(i) ? held : missing;
    text += (text.empty() ? "'" : ", '") + ports_.inputs()[i]->name() + "'";
  }
  if (held.empty()) return held;
  return "stage '" + net_.run().stages[first_].info->name + "' has items at " + held +
         (missing.empty() ? ", but takes none" : ", but waits for items at " + missing);
}

bool port_node::waits_for_its_loop() const {
  bool held = false, missing = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool some = has_items(i);
    if (!some && !in[i]->in_loop) return false;
    held = held || some;
    missing = missing || !some;
  }
  return held && missing;
}

bool port_node::has_doors() const {
  return gateway_ != nullptr && (gateway_->kept_open() || gateway_->taps() > 0);
}

bool port_node::has_news() const {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto* p = ports_.inputs()[i];
    if (p->pushed()) {
      if (may_take(i)) return true;
    } else if (p->left() == 0 && (may_take(i) || (!closed_.empty() && !closed_[i] && comes_to_end(i)))) {
      return true;
    }
  }
  return false;
}

bool port_node::ready() {
  if (ended()) return false;
  const auto& run = net_.run();
  if (in.empty()) {
    if (ports_.over() || run.flags.ending.load(std::memory_order_acquire)) return ask_for_room();
    const auto until = deadline();
    return !run.flags.paused() && (until == never || until <= observe::now_ns()) && ask_for_room();
  }
  return (again_ || fresh_ || has_news() || (gateway_ != nullptr && door_->rung()) ||
          (inputs_ended() && !kept_open())) &&
         ask_for_room();
}

void port_node::execute(worker& w) {
  prepare(w);
  if (!outputs_have_room()) return;
  auto* const at = std::exchange(ctx_->at, &w);
  const auto& run = net_.run();
  if (in.empty() && run.flags.ending.load(std::memory_order_acquire)) {
    finish(w);
  } else if (in.empty() && run.flags.paused()) {
    // until it goes on
  } else {
    bool did = false;
    rests_until_.store(never, std::memory_order_relaxed);
    if (!ports_.over()) did = deliver(w);
    if (!ports_.over() && ports_.chooses()) did = choose(w) || did;
    note_wants();
    note_rest(did);
    // An end that has come meanwhile it has to be told first: it may let go what it holds.
    if (ports_.over() || (!did && !in.empty() && inputs_ended() && !has_news() && !kept_open())) finish(w);
  }
  ctx_->at = at;
}

// What has rung until now is looked at from here on, and closed if the run is to end; not before, since a
// feed that is opened in between rings once, and would be left open.
void port_node::answer_door() {
  door_->answer();
  if (kept_open() && net_.run().flags.ending.load(std::memory_order_acquire)) gateway_->close_feeds();
}

// An input that the stage does not read now: what its sender lends need not be looked at.
void port_node::note_wants() {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(in.size(), 64); ++i) {
    const auto* p = ports_.inputs()[i];
    if (!p->pushed() && p->left() > 0) bits |= std::uint64_t{1} << i;
  }
  unread_.store(bits, std::memory_order_relaxed);
  if (bits != 0 && in_loop != nullptr) net_.watch();  // the loop may wait for itself
}

// A source that has nothing to send is asked again soon, and then less and less often.
void port_node::note_rest(bool did) {
  rest_ns_ = did ? 0 : std::clamp(2 * rest_ns_, shortest_poll_ns, longest_poll_ns);
  if (timed && !did && !ports_.over())
    rests_until_.store(observe::now_ns() + rest_ns_, std::memory_order_relaxed);
}

// Items for those ports whose items come as they arrive: a run of them from one port, then from the next.
bool port_node::deliver(worker& w) {
  fresh_ = false;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const auto i = (turn_ + k) % in.size();
    if (!ports_.inputs()[i]->pushed()) continue;
    if (!may_take(i)) continue;
    auto items = take(w, i, std::move(backs_[i]));
    if (!items) continue;
    show_items(net_.run(), first_, i, *items);
    turn_ = i + 1;
    const auto n = items->size();
    position_ = items->position;
    born_ns_ = items->born_ns;
    upto_ = items->upto;
    attach(items->paced, items->ranked);
    const auto begin = observe::now_ns();
    const auto elsewhere = elsewhere_ns_;
    traced_execution traced(net_.run().statistics.trace, w.log.number, first_, begin);
    if (n > 0) attempt([&] { ports_.receive(i, *ctx_, *items); });
    const auto end = observe::now_ns();
    const auto took = end - begin - (elsewhere_ns_ - elsewhere) - std::exchange(ctx_->waited_ns, 0);
    if (out.empty() && n > 0) {
      if (items->paced) {
        for (std::size_t x = 0; x < n; ++x) ctx_->arrived(items->due(x));
      } else {
        log_->arrived(end - born_ns_, n);
      }
    }
    if (gives_ranks && items->ranked) ports_.progressed(items->upto);
    backs_[i] = std::move(items);
    w.soon = w.depth == 0;
    flush_all(w);
    ctx_->collect({0, 1}, took);
    w.log.work.busy_ns.add_ns(took);
    traced.ended(end, n, position_);
    learn(n, took);
    leave_loop(&w, static_cast<std::int64_t>(n));
    return true;
  }
  return false;
}

// Asks a stage that chooses, until it neither takes nor sends anything.
bool port_node::choose(worker& w) {
  fresh_ = again_ = false;
  const auto begin = observe::now_ns();
  const auto elsewhere = elsewhere_ns_;
  traced_execution traced(net_.run().statistics.trace, w.log.number, first_, begin);
  const auto sent_before = sent_by_all();
  std::vector<std::size_t> before(in.size(), 0);
  bool did = false;
  std::size_t taken = 0;
  for (;;) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      auto* const p = ports_.inputs()[i];
      if (p->pushed()) continue;
      if (p->left() == 0) {
        if (may_take(i)) {
          if (auto items = take(w, i, std::move(backs_[i]))) {
            show_items(net_.run(), first_, i, *items);
            if (!items->empty()) {
              position_ = items->position;
              born_ns_ = items->born_ns;
            }
            if (items->paced) ctx_->paced = true;
            ctx_->ranked = ctx_->ranked || items->ranked;
            p->offer(*items);
            did = true;
            backs_[i] = std::move(items);
          }
        } else if (!closed_[i] && comes_to_end(i)) {
          closed_[i] = true;
          p->close();
          did = true;
        }
      }
      before[i] = p->left();
    }
    if (taken == 0) attach(ctx_->paced, ctx_->ranked && !gives_ranks);
    const auto sent = sent_by_all();
    const auto in_before = ctx_->tallies[0].in;
    if (gateway_ != nullptr) answer_door();
    attempt([&] {
      try {
        ports_.run(*ctx_);
      } catch (const thalweg::cancelled&) {
        if (!sources() || ctx_->interrupted()) throw;  // otherwise a source was asked to end
      }
    });
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (ports_.inputs()[i]->pushed()) continue;
      const auto n = before[i] - ports_.inputs()[i]->left();
      if (n > 0 && in_loop != nullptr) {
        w.soon = w.depth == 0;
        flush_all(w);
        leave_loop(&w, static_cast<std::int64_t>(n));
      }
    }
    const auto took_items = ctx_->tallies[0].in - in_before;
    taken += took_items;
    const bool progress = took_items > 0 || sent_by_all() != sent;
    did = did || progress;
    if (ports_.over()) break;
    if (!progress && !has_news()) {
      if (!in.empty() && is_stuck()) {
        for (const auto* p : ports_.inputs()) {
          if (p->left() == 0) continue;
          attempt([&] {
            model::attribute(0, [&] {
              throw error("its on_run leaves items at the input '" + p->name() +
                          "', and nothing more will come on its other inputs");
            });
          });
        }
      }
      break;
    }
    if (observe::now_ns() - begin > net_.run_ns() || !outputs_have_room() ||
        net_.run().flags.cancelled.load(std::memory_order_relaxed) ||
        (in.empty() && net_.run().flags.paused())) {
      again_ = true;
      break;
    }
  }
  const auto end = observe::now_ns();
  const auto took = end - begin - (elsewhere_ns_ - elsewhere);
  if (did) traced.ended(end, in.empty() ? sent_by_all() - sent_before : taken, position_);
  if (out.empty() && taken > 0) log_->arrived(observe::now_ns() - born_ns_, taken);
  w.soon = w.depth == 0;
  flush_all(w);
  ctx_->collect({0, 1}, took);
  w.log.work.busy_ns.add_ns(took);
  learn(taken, took);
  return did;
}

void port_node::give(worker& w, std::size_t port, bool in_call) {
  auto& o = out[port];
  if (o.to == nullptr) return;
  auto& items = *o.filling;
  if (items.empty() && !o.to->ranked) return;
  const auto begin = observe::now_ns();
  if (in_call && !o.to->has_room()) net_.wait_for_room(w, *o.to);
  {
    std::unique_lock<pipe::spinlock> hold;
    if (in.empty()) hold = std::unique_lock(o.to->lending());
    items.position = position_;
    items.born_ns = born_ns_ != 0 ? born_ns_ : begin;
    items.upto = gives_ranks || restores_order() ? ports_.upto()
                 : in_call                       ? std::numeric_limits<std::int64_t>::min()
                                                 : upto_;
    hand_over(&w, o);
  }
  ports_.outputs()[port]->set_limit(in.empty() ? 1 : limit_of(o));
  if (in_call) elsewhere_ns_ += observe::now_ns() - begin;
}

std::uint64_t port_node::sent_by_all() const {
  std::uint64_t all = gateway_ == nullptr ? 0 : gateway_->sent_out;
  for (const auto* p : ports_.outputs()) all += p->sent();
  return all;
}

void port_node::flush_all(worker& w) {
  const auto sent = sent_by_all();
  ctx_->tallies[0].out += sent - std::exchange(sent_, sent);
  for (std::size_t i = 0; i < out.size(); ++i) {
    give(w, i, false);
    if (const auto n = ports_.outputs()[i]->discarded(); n > 0) (*log_)[first_].dropped.add(n);
  }
  if (gateway_ == nullptr) return;
  if (const auto n = std::exchange(gateway_->dropped_out, 0); n > 0) (*log_)[first_].dropped.add(n);
}

void port_node::finish(worker& w) {
  position_ = at_the_end;
  attach(paced, ctx_->ranked && !gives_ranks);
  const auto begin = observe::now_ns();
  ctx_->rank = pipe::end_rank;
  if (ctx_->due == 0) ctx_->due = begin;  // no item has come
  attempt([&] { ports_.finish(0, 0, *ctx_, nullptr); });
  upto_ = never;
  w.soon = w.depth == 0;
  flush_all(w);
  ctx_->collect({0, 1}, observe::now_ns() - begin);
  end(w);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
