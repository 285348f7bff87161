// A farm: seats for replicas that share one input and one output. Who is free takes the next run of items; it
// gets a number, and what comes of it waits in a window until all before it have gone on.
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <mutex>
#include <thread>

#include "nodes.hpp"

namespace thalweg::run_detail::network {

namespace {

constexpr std::size_t most_kept_bytes = std::size_t{8} << 20;  // of one item's results, out of turn

}  // namespace

farm::farm(net& n, std::vector<part> parts, std::size_t replicas, std::size_t most,
           const model::stage_info& info)
    : replicated(replicas),
      parts_(std::move(parts)),
      ordered_(!info.unordered),
      dealing_(info.opts.schedule) {
  slots_.resize(static_cast<std::size_t>(window));
  const auto first = parts_.front().first;
  const auto last = parts_.back().first + parts_.back().stages.last - parts_.back().stages.first;
  for (std::size_t i = 0; i < most; ++i) seats.push_back(std::make_unique<seat>(*this, n, first, last, i));
}

farm::~farm() = default;

void farm::set_replicas(std::size_t n) {
  limit_.store(n);
  for (std::size_t i = 0; i < n; ++i) seats.front()->notify();
}

squad* farm::home() const noexcept {
  return seats.front()->home;
}

std::size_t farm::target(const pipe::chunk_base& items, std::size_t i) const {
  const auto n = replicas();
  return dealing_.how() == schedule::kind::round_robin ? static_cast<std::size_t>(count_) % n
                                                       : dealing_(items.at(i), n);
}

farm::seat::seat(farm& f, net& n, std::size_t first, std::size_t last, std::size_t number)
    : node(n, first, last), farm_(f), number_(number), deadline_(never) {}

farm::seat::~seat() = default;

void farm::seat::prepare(worker& w) {
  if (lane_) return;
  if (!out.empty()) {
    const auto& p = farm_.parts_.back();
    filling_ = net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
  }
  lane_ = std::make_unique<lane>(net_, farm_.parts_, number_, filling_.get(), *this);
  lane_->paced = paced;
  if (!out.empty() && out.front().to != nullptr) lane_->limit_bytes = out.front().to->run_bytes();
  lane_->start(w);
}

bool farm::seat::wants(std::size_t) const noexcept {
  const auto next = farm_.next_target_.load(std::memory_order_relaxed);
  return next >= 0 ? next == static_cast<int>(number_) : number_ < farm_.replicas();
}

bool farm::seat::hungry(std::size_t port) const noexcept {
  for (std::size_t i = 0; i < farm_.replicas(); ++i) {
    if (farm_.seats[i]->node::hungry(port)) return true;
  }
  return false;
}

// The first seat stands for all: what is to be noticed by one of them is told to it.
void farm::seat::notify(worker* w) {
  if (this != &leader()) return node::notify(w);
  pipe::full_fence();  // who takes away replicas sees what this is about, or this sees who is left
  const auto n = farm_.replicas();
  if (farm_.deals()) {
    const auto next = farm_.next_target_.load();
    if (next >= 0 && static_cast<std::size_t>(next) < n)
      return farm_.seats[static_cast<std::size_t>(next)]->node::notify(w);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (farm_.seats[i]->asleep()) return farm_.seats[i]->node::notify(w);
  }
  for (std::size_t i = 0; i < n; ++i) farm_.seats[i]->node::notify(w);  // one may be about to fall asleep
}

std::int64_t farm::seat::deadline() const {
  return deadline_.load(std::memory_order_relaxed);
}

bool farm::seat::all_done() const {
  return inputs_ended() && farm_.firing_.load() == 0 && farm_.next_target_.load() < 0 &&
         farm_.next_out_.load() == farm_.next_seq_.load();
}

bool farm::seat::ready() {
  if (leader().ended()) return false;
  if (deadline() <= observe::now_ns()) return ask_for_room();
  if (all_done() || farm_.stalled_.load()) return ask_for_room();
  const auto n = farm_.replicas();
  const auto next = farm_.next_target_.load();
  // Whose turn it was may be a replica no more: then any of those left deals the items out anew.
  const bool turn = next < 0 ? may_take(0) : next == static_cast<int>(number_) || next >= static_cast<int>(n);
  if (!turn || (number_ >= n && next != static_cast<int>(number_))) return false;
  if (farm_.next_seq_.load() - farm_.next_out_.load() >= window) return false;
  return ask_for_room();
}

// The next run of items that this seat is to work on, if there is one.
chunk_ptr farm::seat::take_mine(worker& w) {
  auto& f = farm_;
  if (f.next_seq_.load() - f.next_out_.load() >= window) return nullptr;
  chunk_ptr items;
  if (!f.deals()) {
    if (number_ >= f.replicas() || !may_take(0)) return nullptr;
    items = leader().take(w, 0, std::move(back_));
  } else {
    if (!f.dealt_) {
      if (!may_take(0)) return nullptr;
      f.dealt_ = leader().take(w, 0, std::move(back_));
      if (!f.dealt_) return nullptr;
    }
    if (f.dealt_->empty()) {
      items = std::move(f.dealt_);
      f.next_target_.store(-1);
    } else {
      const auto to = f.target(*f.dealt_, 0);
      f.next_target_.store(static_cast<int>(to));
      if (to != number_) {
        f.seats[to]->node::notify(&w);
        return nullptr;
      }
      std::size_t n = 0;
      while (n < f.dealt_->size() && f.target(*f.dealt_, n) == number_) {
        ++n;
        ++f.count_;
      }
      items = f.dealt_->sibling();
      f.dealt_->move_items(0, n, *items);
      f.dealt_->drop_front(n);
      items->position = f.dealt_->position;
      items->born_ns = f.dealt_->born_ns;
      if (f.dealt_->empty()) {
        items->upto = f.dealt_->upto;
        f.dealt_.reset();
        f.next_target_.store(-1);
      } else {
        const auto next = f.target(*f.dealt_, 0);
        f.next_target_.store(static_cast<int>(next));
        f.seats[next]->node::notify(&w);
      }
    }
  }
  return items;
}

void farm::seat::execute(worker& w) {
  auto& f = farm_;
  struct using_lane {
    std::atomic<bool>& flag;
    explicit using_lane(std::atomic<bool>& b) : flag(b) { flag.store(true); }
    ~using_lane() { flag.store(false); }
  } const mine(busy_);
  if (f.ending_.load()) {
    deadline_.store(never, std::memory_order_relaxed);  // its end hook has been called
    return;
  }
  prepare(w);
  if (lane_->deadline() <= observe::now_ns()) {
    struct firing {
      std::atomic<int>& count;
      explicit firing(std::atomic<int>& c) : count(c) { count.fetch_add(1); }
      ~firing() { count.fetch_sub(1); }
    } const counted(f.firing_);
    lane_->fire_timers(w, longest_run);
    give(w, false);
  }
  chunk_ptr items;
  if (outputs_have_room()) {
    const std::lock_guard hold(f.lock_);
    if (f.stalled_.load()) drain(w);
    items = take_mine(w);
    if (items) {
      auto& b = f.slot(f.next_seq_.load());
      b.seq = f.next_seq_.load();
      b.number = items->seq;
      b.items = items->size();
      b.upto = items->upto;
      b.done = false;
      mine_ = &b;
      f.next_seq_.fetch_add(1);
    }
  }
  if (items) {
    if (may_take(0)) leader().notify(&w);
    const auto n = items->size();
    lane_->position = items->position;
    lane_->born_ns = items->born_ns;
    if (filling_) filling_->ranked = items->ranked;
    const auto limit = out.empty() ? longest_run : limit_of(out.front());
    const auto ns = lane_->process(w, *items, limit);
    back_ = std::move(items);
    w.soon = w.depth == 0;
    {
      const std::lock_guard hold(f.lock_);
      leader().learn(n, ns);
    }
    give(w, false);
    mine_ = nullptr;
  } else if (all_done()) {
    finish(w);
  }
  deadline_.store(f.ending_.load() ? never : lane_->deadline(), std::memory_order_relaxed);
}

// What the replica has in its output waits for its turn. In the middle of a call of the one whose turn it is
// it goes on at once, so that one item may become any number.
void farm::seat::give(worker& w, bool in_call) {
  auto& f = farm_;
  if (f.numbered) return give_numbered(w, in_call);
  const auto my_turn = [&] { return !f.ordered_ || mine_ == nullptr || f.next_out_.load() == mine_->seq; };
  if (filling_ && !filling_->empty()) {
    if (in_call && !my_turn() && w.depth == 0 && filling_->bytes() >= most_kept_bytes) {
      while (!my_turn() && !net_.run().cancelled.load()) {
        if (!f.stalled_.load()) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          continue;
        }
        // Perhaps no other thread is there to send what comes before.
        auto* const e = out.front().to;
        if (!e->has_room()) net_.wait_for_room(w, *e);
        const std::lock_guard hold(f.lock_);
        drain(w);
      }
    }
    auto& o = out.front();
    if (in_call && my_turn() && o.to != nullptr && !o.to->has_room()) net_.wait_for_room(w, *o.to);
    if (in_call && !my_turn() && filling_->bytes() < most_kept_bytes) return;  // it may grow
    const std::lock_guard hold(f.lock_);
    const bool ranked = filling_->ranked;
    filling_->position = lane_->position;
    filling_->born_ns = lane_->born_ns;
    if (mine_ == nullptr || !f.ordered_) {
      filling_->upto = ending_now_ ? never : std::numeric_limits<std::int64_t>::min();
      o.filling.swap(filling_);
      hand_over(&w, o);
      o.filling.swap(filling_);
    } else {
      auto c = filling_->sibling();
      c->upto = std::numeric_limits<std::int64_t>::min();
      c->position = filling_->position;
      c->born_ns = filling_->born_ns;
      c->swap_items(*filling_);
      mine_->results.push_back(std::move(c));
    }
    filling_->paced = false;
    filling_->ranked = ranked;
  }
  if (mine_ == nullptr) return;
  const std::lock_guard hold(f.lock_);
  if (!in_call) mine_->done = true;
  drain(w);
}

// All that has become of a run of items goes on as one, with its number, also if that is nothing.
void farm::seat::give_numbered(worker& w, bool in_call) {
  auto& f = farm_;
  if (in_call && mine_ != nullptr) return;  // it may grow
  const std::lock_guard hold(f.lock_);
  if (filling_ && (mine_ != nullptr || !filling_->empty())) {
    auto& o = out.front();
    const bool ranked = filling_->ranked;
    filling_->position = lane_->position;
    filling_->born_ns = lane_->born_ns;
    filling_->seq = mine_ != nullptr ? mine_->number : at_the_end;
    filling_->upto = mine_ != nullptr ? mine_->upto : never;
    o.filling.swap(filling_);
    hand_over(&w, o);
    o.filling.swap(filling_);
    filling_->paced = false;
    filling_->ranked = ranked;
  }
  if (mine_ == nullptr) return;
  mine_->done = true;
  drain(w);
}

// Sends what is next, as far as there is room: then whoever is told that there is room again goes on with it.
// Under the lock.
void farm::seat::drain(worker& w) {
  auto& f = farm_;
  bool advanced = false;
  f.stalled_.store(false);
  while (f.next_out_.load() != f.next_seq_.load()) {
    auto& b = f.slot(f.next_out_.load());
    auto* const o = out.empty() ? nullptr : &out.front();
    auto next = b.results.begin();
    for (; next != b.results.end() && (o->to == nullptr || o->to->has_room()); ++next) {
      o->filling.swap(*next);
      hand_over(&w, *o);
      o->filling.reset();
    }
    b.results.erase(b.results.begin(), next);
    if (!b.results.empty()) {
      f.stalled_.store(true);
      break;
    }
    if (!b.done) break;
    if (o != nullptr && o->to != nullptr && o->to->ranked && !f.numbered) {
      const auto& p = f.parts_.back();
      o->filling = net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
      o->filling->ranked = true;
      o->filling->upto = b.upto;
      hand_over(&w, *o);
      o->filling.reset();
    }
    const auto n = b.items;
    f.next_out_.fetch_add(1);
    advanced = true;
    leave_loop(w, n);
  }
  if (advanced) leader().notify(&w);
}

// The end of the stream, when all has gone on: the end hooks of each stage, replica by replica.
void farm::seat::finish(worker& w) {
  auto& f = farm_;
  {
    const std::lock_guard hold(f.lock_);
    if (f.ending_.load() || !all_done()) return;
    f.ending_.store(true);
  }
  const bool ranked = !out.empty() && out.front().to != nullptr && out.front().to->ranked;
  for (auto s = first_; s < last_; ++s) {
    for (auto& other : f.seats) {
      // All is done: whoever still uses a lane is about to leave it.
      while (other.get() != this && other->busy_.load()) std::this_thread::yield();
      if (!other->lane_) continue;
      other->lane_->position = at_the_end;
      other->ending_now_ = true;
      if (other->filling_) other->filling_->ranked = ranked;
      other->lane_->finish(w, s, longest_run);
      other->give(w, false);
    }
  }
  if (ranked && !f.numbered) {
    auto& o = out.front();
    const auto& p = f.parts_.back();
    o.filling = net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
    o.filling->upto = never;
    hand_over(&w, o);
  }
  w.soon = w.depth == 0;
  leader().end(w);
}

}  // namespace thalweg::run_detail::network
