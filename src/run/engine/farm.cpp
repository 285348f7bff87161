// A farm: replicas that share one input and one output. The first idle replica takes the next run of items.
//
// State: a window of runs, from `next_out_` to `next_seq_`, each a list of pieces with what has become of
//   them.
// Writers: whichever replica takes or hands on, under `lock_`.
// Invariant: what leaves the farm is that of run `next_out_`, piece by piece; only when all its pieces are
//   done does the window move on. What is left of a run that was cut short is listed before its first part is
//   done. A replica that finds the next results sends them. It waits for its turn only
//   in the middle of a run of which it keeps 8 192 items or 8 MiB (`wait_for_turn`).
// Models: docs/protocols/resize.pml, docs/protocols/pieces.pml, docs/protocols/whole_line.pml.
#include <thalweg/model/frame.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pipe/membarrier.hpp>
#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "../looks.hpp"
#include "nodes.hpp"
#include "whole_line.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::size_t most_kept_bytes = std::size_t{8} << 20;      // of a run's results, out of turn
constexpr std::int64_t most_kept_in_all = std::int64_t{32} << 20;  // bytes of all of them
constexpr std::size_t most_kept = longest_run;                     // and items

}  // namespace

farm::farm(graph_engine& n, std::vector<part> parts, std::size_t replicas, std::size_t most,
           const model::stage_info& info)
    : replicated(replicas),
      parts_(std::move(parts)),
      ordered_(!info.unordered),
      dealing_(info.opts.schedule) {
  slots_.resize(static_cast<std::size_t>(window));
  const auto first = parts_.front().first;
  const auto last = parts_.back().first + parts_.back().stages.last - parts_.back().stages.first;
  for (std::size_t i = 0; i < most; ++i) all.push_back(std::make_unique<replica>(*this, n, first, last, i));
}

farm::~farm() = default;

void farm::set_replicas(std::size_t n) {
  used_here.store(true);
  limit_.store(n);
  bound_runs();
  for (std::size_t i = 0; i < n; ++i) all.front()->notify();
}

// Where the user has named a capacity behind the farm, what its replicas hold must not exceed it by much.
void farm::bound_runs() {
  auto& first = *all.front();
  for (auto* e : first.in) e->set_takers(replicas());
  const auto* const to = first.out.empty() ? nullptr : first.out.front().to;
  if (to == nullptr || !to->bounds_items()) return;
  first.take_most_.store(
      std::max<std::size_t>(1, static_cast<std::size_t>(to->options().capacity) / (2 * replicas())));
}

// Whether as many runs are under way as may be, or their results hold as many bytes, or find no room. Where
// the user has named a capacity behind the farm, what waits for its turn counts as waiting there.
bool farm::is_full() const noexcept {
  const auto under_way = next_seq_.load() - next_out_.load();
  if (under_way >= window || stalled_.load() || kept_bytes_.load() >= most_kept_in_all) return true;
  const auto& first = *all.front();
  const auto* const to = first.out.empty() ? nullptr : first.out.front().to;
  if (to == nullptr || !to->bounds_items() || !ordered_) return false;
  const auto each = static_cast<std::int64_t>(first.take_most_.load(std::memory_order_relaxed));
  return to->items() + under_way * each >= to->capacity() + static_cast<std::int64_t>(replicas());
}

bool farm::in_any_order() const noexcept {
  const auto& first = *all.front();
  return !ordered_ && !numbered &&
         (first.out.empty() || first.out.front().to == nullptr || !first.out.front().to->ranked);
}

// For one more run: the next place in the window; without order any that is free. Under the lock.
farm::batch& farm::new_slot() {
  if (!in_any_order()) return slot(next_seq_.load());
  return *std::find_if(slots_.begin(), slots_.end(), [](const batch& b) { return !b.used; });
}

// Results wait for their turn. Under the lock.
void farm::keep(piece& p, chunk_ptr results) {
  const auto bytes = static_cast<std::int64_t>(results->bytes());
  kept_bytes_.fetch_add(bytes);
  p.results.push_back({std::move(results), bytes});
}

// Which piece's results go on next. Under the lock.
void farm::note_first() noexcept {
  const auto next = next_out_.load();
  const bool none = !ordered_ || next == next_seq_.load() || slot(next).pieces.empty();
  first_id_.store(none ? 0 : slot(next).pieces.front().id);
}

bool farm::turn_has_come() const noexcept {
  const auto first = first_id_.load();
  return first != 0 &&
         std::any_of(all.begin(), all.end(), [&](const auto& r) { return r->waits_with_.load() == first; });
}

worker_group* farm::home() const noexcept {
  return all.front()->home;
}

bool farm::items_wait() const noexcept {
  return waiting_pieces_.load() > 0 || !all.front()->in.front()->empty();
}

std::size_t farm::at_work() const noexcept {
  return static_cast<std::size_t>(std::count_if(all.begin(),
                                                all.begin() + static_cast<std::ptrdiff_t>(replicas()),
                                                [](const auto& r) { return !r->asleep(); }));
}

bool farm::works_with(const worker_group& g) const noexcept {
  return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(replicas()),
                     [&](const auto& r) { return r->home == &g; });
}

std::size_t farm::target(run_state& run, const pipe::chunk_base& items, std::size_t i) const {
  const auto n = replicas();
  if (dealing_.how() == schedule::kind::round_robin) return static_cast<std::size_t>(count_) % n;
  const auto& first = parts_.front();
  std::size_t to = 0;
  if (!run.guard(first.component, items.position, 0,
                 [&] { model::attribute(first.stages.first, [&] { to = dealing_(items.at(i), n); }); }))
    throw thalweg::cancelled{};
  return to;
}

farm::replica::replica(farm& f, graph_engine& n, std::size_t first, std::size_t last, std::size_t number)
    : node(n, first, last), farm_(f), number_(number), deadline_(never) {}

farm::replica::~replica() = default;

void farm::replica::prepare(worker& w) {
  if (stages_) return;
  if (!out.empty()) {
    const auto& p = farm_.parts_.back();
    filling_ = net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
  }
  stages_ = std::make_unique<stage_runner>(net_, farm_.parts_, number_, filling_.get(), *this);
  stages_->paced = paced;
  if (!out.empty() && out.front().to != nullptr) stages_->limit_bytes = out.front().to->run_bytes();
  stages_->start(w);
  counted_.store(stages_.get(), std::memory_order_release);
}

// A replica that takes a run counts what waits with the first one, so other threads read this.
std::span<observe::stage_counters> farm::replica::counters() {
  auto* const from = counted_.load(std::memory_order_acquire);
  return from != nullptr ? from->counters() : std::span<observe::stage_counters>{};
}

bool farm::replica::quiet() const {
  const auto& f = farm_;
  return std::all_of(in.begin(), in.end(), [](const channel* e) { return e->empty(); }) &&
         std::all_of(f.all.begin(), f.all.end(), [](const auto& s) { return s->asleep(); }) &&
         f.next_out_.load() == f.next_seq_.load() && f.next_target_.load() < 0 && f.firing_.load() == 0;
}

bool farm::replica::wants(std::size_t) const noexcept {
  const auto next = farm_.next_target_.load(std::memory_order_relaxed);
  return (next >= 0 ? next == static_cast<int>(number_) : number_ < farm_.replicas()) && !farm_.is_full();
}

bool farm::replica::hungry(std::size_t port) const noexcept {
  for (std::size_t i = 0; i < farm_.replicas(); ++i) {
    if (farm_.all[i]->node::hungry(port)) return true;
  }
  return false;
}

// The first replica stands for all: what is to be noticed by one of them is told to it.
void farm::replica::notify(worker* w) {
  if (part_of != nullptr && part_of->on()) return part_of->head().notify(w);
  if (this != &first_replica()) return node::notify(w);
  pipe::full_fence();  // who takes away replicas sees what this is about, or this sees who is left
  const auto n = farm_.replicas();
  if (farm_.deals()) {
    const auto next = farm_.next_target_.load();
    if (next >= 0 && static_cast<std::size_t>(next) < n)
      return farm_.all[static_cast<std::size_t>(next)]->node::notify(w);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (farm_.all[i]->asleep()) return farm_.all[i]->node::notify(w);
  }
  for (std::size_t i = 0; i < n; ++i) farm_.all[i]->node::notify(w);  // one may be about to fall asleep
}

std::int64_t farm::replica::deadline() const {
  return deadline_.load(std::memory_order_relaxed);
}

bool farm::replica::all_done() const {
  return inputs_ended() && farm_.firing_.load() == 0 && farm_.next_target_.load() < 0 &&
         farm_.next_out_.load() == farm_.next_seq_.load();
}

bool farm::replica::ready() {
  if (first_replica().ended()) return false;
  if (farm_.ending_.load()) return farm_.end_turn_.load() == static_cast<int>(number_);
  if (deadline() <= observe::now_ns()) return ask_for_room();
  if (all_done() || farm_.stalled_.load()) return ask_for_room();
  const auto n = farm_.replicas();
  const auto next = farm_.next_target_.load();
  // Whose turn it was may be a replica no more: then any of those left deals the items out anew.
  const bool turn = next < 0 ? may_take(0) : next == static_cast<int>(number_) || next >= static_cast<int>(n);
  if (farm_.waiting_pieces_.load() > 0 && number_ < n) return ask_for_room();
  if (!turn || (number_ >= n && next != static_cast<int>(number_))) return false;
  // Where that is because of what waits behind the farm, the receiver notifies this when it takes it out.
  if (farm_.is_full() && (!ask_for_room() || farm_.is_full())) return false;
  return ask_for_room();
}

// A run of items that this replica is to work on gets its place in the window. Under the lock.
void farm::replica::begin(std::int64_t number, std::int64_t upto, std::size_t items) {
  auto& b = farm_.new_slot();
  b.seq = farm_.next_seq_.load();
  b.number = number;
  b.items = items;
  b.upto = upto;
  b.pieces.clear();
  b.piece_items = 1;
  b.used = true;
  mine_ = &b;
  piece_ = b.pieces.insert(b.pieces.end(), {.id = farm_.new_id()});
  farm_.next_seq_.fetch_add(1);
  farm_.note_first();
}

// Of the oldest run that was cut short, what nobody works on: as much of it as is worth taking. Under the
// lock.
chunk_ptr farm::replica::take_piece() {
  auto& f = farm_;
  if (f.waiting_pieces_.load() == 0 || number_ >= f.replicas()) return nullptr;
  const bool all = f.in_any_order();
  const auto begin = all ? 0 : f.next_out_.load();
  const auto end = all ? window : f.next_seq_.load();
  for (auto k = begin; k != end; ++k) {
    auto& b = f.slot(k);
    if (!b.used) continue;
    const auto p =
        std::find_if(b.pieces.begin(), b.pieces.end(), [](const piece& x) { return x.waiting != nullptr; });
    if (p == b.pieces.end()) continue;
    auto items = std::move(p->waiting);
    const auto most = b.piece_items;
    if (items->size() > most) {
      auto some = items->sibling();
      items->move_items(0, most, *some);
      items->drop_front(most);
      some->position = items->position;
      some->born_ns = items->born_ns;
      items->position += static_cast<std::int64_t>(most);
      b.pieces.insert(std::next(p), {.id = f.new_id()})->waiting = std::move(items);
      items = std::move(some);
    } else {
      f.waiting_pieces_.fetch_sub(1);
    }
    mine_ = &b;
    piece_ = p;
    return items;
  }
  return nullptr;
}

// The run was cut short: what is left of it is for whoever is idle.
void farm::replica::put_back(worker& w, chunk_ptr rest) {
  auto& f = farm_;
  const auto n = std::min(rest->size(), f.replicas());
  {
    const std::lock_guard hold(f.lock_);
    mine_->pieces.insert(std::next(piece_), {.id = f.new_id()})->waiting = std::move(rest);
    f.waiting_pieces_.fetch_add(1);
  }
  for (std::size_t i = 0; i < n; ++i) first_replica().notify(&w);
}

// The next run of items that this replica is to work on, if there is one. Under the lock.
chunk_ptr farm::replica::take_mine(worker& w) {
  auto& f = farm_;
  fresh_ = false;
  if (auto some = take_piece()) return some;
  fresh_ = true;
  if (f.is_full()) return nullptr;
  chunk_ptr items;
  if (!f.deals()) {
    if (number_ >= f.replicas() || !may_take(0)) return nullptr;
    items = first_replica().take(w, 0, std::move(back_), true);
    if (items) begin(items->seq, items->upto, items->size());
  } else {
    if (!f.dealt_) {
      if (!may_take(0)) return nullptr;
      f.dealt_ = first_replica().take(w, 0, std::move(back_), true);
      if (!f.dealt_) return nullptr;
    }
    if (f.dealt_->empty()) {
      items = std::move(f.dealt_);
      f.next_target_.store(-1);
    } else {
      const auto to = f.target(net_.run(), *f.dealt_, 0);
      f.next_target_.store(static_cast<int>(to));
      if (to != number_) {
        f.all[to]->node::notify(&w);
        return nullptr;
      }
      std::size_t n = 0;
      while (n < f.dealt_->size() && f.target(net_.run(), *f.dealt_, n) == number_) {
        ++n;
        ++f.count_;
      }
      items = f.dealt_->sibling();
      f.dealt_->move_items(0, n, *items);
      f.dealt_->drop_front(n);
      items->position = f.dealt_->position;
      items->born_ns = f.dealt_->born_ns;
      f.dealt_->position += static_cast<std::int64_t>(n);
      if (f.dealt_->empty()) {
        items->upto = f.dealt_->upto;
        f.dealt_.reset();
        f.next_target_.store(-1);
      } else {
        const auto next = f.target(net_.run(), *f.dealt_, 0);
        f.next_target_.store(static_cast<int>(next));
        f.all[next]->node::notify(&w);
      }
    }
    begin(items->seq, items->upto, items->size());
  }
  return items;
}

// What comes of these items will lie in the output, where the monitor may look at it. Under the lock.
void farm::replica::begin_output(const pipe::chunk_base& items) {
  filling_->ranked = items.ranked;
  filling_->position = items.position;
  filling_->born_ns = items.born_ns;
}

void farm::replica::execute(worker& w) {
  auto& f = farm_;
  struct using_stages {
    std::atomic<bool>& flag;
    explicit using_stages(std::atomic<bool>& b) : flag(b) { flag.store(true); }
    ~using_stages() { flag.store(false); }
  } const mine(busy_);
  if (f.ending_.load()) {
    deadline_.store(never, std::memory_order_relaxed);
    if (auto turn = static_cast<int>(number_); f.end_turn_.compare_exchange_strong(turn, -1)) finish_next(w);
    return;
  }
  // Without a thread of its own its operators are made with its first items, by the thread that has them.
  if (f.own_threads && f.used_here.load()) prepare(w);
  if (stages_ && stages_->deadline() <= observe::now_ns()) {
    struct firing {
      std::atomic<int>& count;
      explicit firing(std::atomic<int>& c) : count(c) { count.fetch_add(1); }
      ~firing() { count.fetch_sub(1); }
    } const counted(f.firing_);
    stages_->fire_timers(w, longest_run, may_take(0) || f.waiting_pieces_.load() > 0);
    give(w, false);
  }
  chunk_ptr items;
  if (outputs_have_room()) {
    const std::lock_guard hold(f.lock_);
    if (f.stalled_.load()) drain(w);
    items = take_mine(w);
    if (items && filling_) begin_output(*items);
  }
  if (items) {
    if (fresh_) show_items(net_.run(), first_, 0, *items);
    if (may_take(0) || f.waiting_pieces_.load() > 0) first_replica().notify(&w);
    if (!stages_) {
      prepare(w);
      const std::lock_guard hold(f.lock_);
      if (filling_) begin_output(*items);
    }
    const auto n = items->size();
    stages_->position = items->position;
    stages_->born_ns = items->born_ns;
    const auto limit = out.empty() || farm_.numbered ? longest_run : limit_of(out.front());
    // Where others restore the order a run stays in one piece, and what is dealt out stays with its replica.
    const bool may_be_cut = !f.numbered && !f.deals();
    const auto ns = may_be_cut ? stages_->process_some(w, *items, limit) : stages_->process(w, *items, limit);
    const auto left = items->size();
    {
      const std::lock_guard hold(f.lock_);
      first_replica().learn(n - left, ns, left > 0);
      if (left > 0) {
        mine_->piece_items = 1;
      } else if (ns < net_.run_ns() / 2) {
        mine_->piece_items = std::min(2 * mine_->piece_items, longest_run);
      }
    }
    first_replica().done(w, 0, n - left);
    if (left > 0) {
      items->position += static_cast<std::int64_t>(n - left);
      put_back(w, std::move(items));
    } else {
      back_ = std::move(items);
    }
    w.soon = w.depth == 0;
    give(w, false);
  } else if (all_done()) {
    finish(w);
  }
  deadline_.store(f.ending_.load() || !stages_ ? never : stages_->deadline(), std::memory_order_relaxed);
}

// Results wait for their turn. Those of the run whose turn it is go on at once, also in the middle of a call:
// one item may become any number.
void farm::replica::give(worker& w, bool in_call) {
  auto& f = farm_;
  if (f.numbered) return give_numbered(w, in_call);
  const auto may_go_on = [&] { return !f.ordered_ || mine_ == nullptr || my_turn(); };
  if (filling_ && !filling_->empty()) {
    const auto much = [&] {
      const std::lock_guard hold(f.lock_);  // the monitor may take what is in it
      return filling_->bytes() >= most_kept_bytes || filling_->size() >= most_kept;
    };
    if (in_call && !may_go_on()) {
      if (!much()) return;  // it may grow
      wait_for_turn(w);
    }
    auto& o = out.front();
    if (in_call && may_go_on() && o.to != nullptr && !o.to->has_room()) net_.wait_for_room(w, *o.to);
    const std::lock_guard hold(f.lock_);
    const bool ranked = filling_->ranked;
    filling_->position = stages_->position;
    filling_->born_ns = stages_->born_ns;
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
      f.keep(*piece_, std::move(c));
    }
    filling_->paced = false;
    filling_->ranked = ranked;
  }
  if (mine_ == nullptr) return;
  const std::lock_guard hold(f.lock_);
  if (!in_call) {
    piece_->done = true;
    count_order();
  }
  if (!f.in_any_order()) {
    drain(w);
  } else if (!in_call) {
    end_run(w);
  }
  if (!in_call) mine_ = nullptr;
}

// A run of a farm without order is through when all its pieces are. Under the lock.
void farm::replica::end_run(worker& w) {
  auto& f = farm_;
  auto& b = *mine_;
  if (!std::all_of(b.pieces.begin(), b.pieces.end(), [](const piece& p) { return p.done; })) return;
  b.used = false;
  f.next_out_.fetch_add(1);
  leave_loop(&w, static_cast<std::int64_t>(b.items));
  first_replica().notify(&w);
}

// Waits while another thread works on the first piece, or is about to: it has left its last one, and may have
// lost its core just then. If nobody can take it, or does for a while (the others may be in a call that
// lasts), it returns: the results are kept.
void farm::replica::wait_for_turn(worker& w) {
  auto& f = farm_;
  constexpr auto most_untaken = std::chrono::milliseconds(10);
  auto last_taken = std::chrono::steady_clock::now();
  while (w.depth == 0 && !net_.run().flags.cancelled.load()) {
    bool taken = true;
    {
      const std::lock_guard hold(f.lock_);
      if (f.stalled_.load()) drain(w);
      if (my_turn()) return;
      const auto& first = f.slot(f.next_out_.load()).pieces;
      if (!f.stalled_.load()) {
        if (first.empty()) return;
        taken = !first.front().waiting;
      }
    }
    if (auto* const e = out.front().to; f.stalled_.load() && e != nullptr && !e->has_room()) {
      net_.wait_for_room(w, *e);
      continue;
    }
    // Until its turn comes nothing moves because of this call; from then on it does, and `waits_with_` says
    // so.
    waits_with_.store(piece_->id);
    bool gives_up = false;
    {
      const graph_engine::blocked_call waits(net_);
      const auto now = std::chrono::steady_clock::now();
      if (taken) last_taken = now;
      gives_up = !taken && (net_.nothing_moves() || now - last_taken > most_untaken);
      if (!gives_up && !pipe::spin_until([&] { return my_turn(); }))
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    waits_with_.store(0);
    if (gives_up) return;
  }
}

// The results so far of a run that lasts long.
void farm::replica::hand_on() {
  auto& f = farm_;
  const std::lock_guard hold(f.lock_);
  if (mine_ == nullptr || f.numbered || !filling_ || filling_->empty() || filling_->ranked ||
      in_loop != nullptr)
    return;
  // What has to wait for its turn stays where it is: there it is bounded.
  if (f.ordered_ && (!my_turn() || f.stalled_.load())) return;
  if (auto* const to = out.front().to; to != nullptr && !to->has_room()) return;
  auto some = filling_->sibling();
  some->upto = std::numeric_limits<std::int64_t>::min();
  some->born_ns = filling_->born_ns;
  (void)filling_->steal(*some);
  if (some->empty()) return;
  if (!f.ordered_) {
    auto& o = out.front();
    o.filling.swap(some);
    hand_over(nullptr, o);
    o.filling.swap(some);
    return;
  }
  f.keep(*piece_, std::move(some));
  send_results(nullptr);
}

// Sends what there is of the piece that is next, as far as there is room. Under the lock.
void farm::replica::send_results(worker* w) {
  auto& f = farm_;
  auto& p = f.slot(f.next_out_.load()).pieces.front();
  auto* const o = out.empty() ? nullptr : &out.front();
  auto next = p.results.begin();
  std::int64_t sent = 0;
  for (; next != p.results.end() && (o->to == nullptr || o->to->has_room()); ++next) {
    o->filling.swap(next->items);
    hand_over(w, *o);
    o->filling.reset();
    sent += next->bytes;
  }
  p.results.erase(p.results.begin(), next);
  if (sent > 0 && f.kept_bytes_.fetch_sub(sent) >= most_kept_in_all) first_replica().notify(w);
}

// By how much a run came before its turn, and how many wait for theirs. Under the lock.
void farm::replica::count_order() {
  auto& f = farm_;
  if (out.empty() || out.front().to == nullptr || !f.ordered_ || !net_.run().observes()) return;
  if (f.order_log_ == nullptr) f.order_log_ = &net_.run().counters.new_log(out.front().to->to->first(), 1);
  auto& c = (*f.order_log_)[out.front().to->to->first()];
  const auto early = mine_->seq - f.next_out_.load();
  c.displacement.sample(static_cast<std::uint64_t>(early));
  if (early > 0 && !std::exchange(mine_->early, true)) ++f.early_;
  c.reorder.sample(f.early_);
}

// All that has become of a run of items goes on as one, with its number, also if that is nothing.
void farm::replica::give_numbered(worker& w, bool in_call) {
  auto& f = farm_;
  if (in_call && mine_ != nullptr) return;  // it may grow
  const std::lock_guard hold(f.lock_);
  if (filling_ && (mine_ != nullptr || !filling_->empty())) {
    auto& o = out.front();
    const bool ranked = filling_->ranked;
    filling_->position = stages_->position;
    filling_->born_ns = stages_->born_ns;
    filling_->seq = mine_ != nullptr ? mine_->number : at_the_end;
    filling_->upto = mine_ != nullptr ? mine_->upto : never;
    o.filling.swap(filling_);
    hand_over(&w, o);
    o.filling.swap(filling_);
    filling_->paced = false;
    filling_->ranked = ranked;
  }
  if (mine_ == nullptr) return;
  piece_->done = true;
  drain(w);
  mine_ = nullptr;
}

// Sends what is next, as far as there is room: then whoever is told that there is room again goes on with it.
// Under the lock.
void farm::replica::drain(worker& w) {
  auto& f = farm_;
  bool advanced = false;
  f.stalled_.store(false);
  while (f.next_out_.load() != f.next_seq_.load()) {
    auto& b = f.slot(f.next_out_.load());
    auto* const o = out.empty() ? nullptr : &out.front();
    while (!b.pieces.empty()) {
      auto& p = b.pieces.front();
      send_results(&w);
      if (!p.results.empty()) f.stalled_.store(true);
      if (!p.results.empty() || !p.done) break;
      b.pieces.pop_front();
    }
    if (!b.pieces.empty()) break;
    if (o != nullptr && o->to != nullptr && o->to->ranked && !f.numbered) {
      o->filling = new_output(b.upto);
      hand_over(&w, *o);
      o->filling.reset();
    }
    const auto n = b.items;
    if (std::exchange(b.early, false)) --f.early_;
    b.used = false;
    f.next_out_.fetch_add(1);
    advanced = true;
    leave_loop(&w, static_cast<std::int64_t>(n));
  }
  f.note_first();
  if (advanced) first_replica().notify(&w);
}

// An empty run of results that says how far the ranks have come.
chunk_ptr farm::replica::new_output(std::int64_t upto) const {
  const auto& p = farm_.parts_.back();
  auto made = net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
  made->ranked = true;
  made->upto = upto;
  return made;
}

// The end of the stream, when all has gone on: the end hooks of each stage, replica by replica, each by a
// thread that executes its replica.
void farm::replica::finish(worker& w) {
  auto& f = farm_;
  {
    const std::lock_guard hold(f.lock_);
    if (f.ending_.load() || !all_done()) return;
    f.end_stage_ = first_;
    f.end_replica_ = 0;
    f.there_ = f.own_threads && f.used_here.load() ? f.replicas() : 0;
    f.ending_.store(true);
  }
  finish_next(w);
}

void farm::replica::finish_next(worker& w) {
  auto& f = farm_;
  const bool ranked = !out.empty() && out.front().to != nullptr && out.front().to->ranked;
  for (; f.end_stage_ < last_; ++f.end_stage_, f.end_replica_ = 0) {
    for (; f.end_replica_ < f.all.size(); ++f.end_replica_) {
      auto& other = *f.all[f.end_replica_];
      // All is done: whoever is still executing a replica, or begins it, is about to leave it.
      while (&other != this && other.busy_.load()) std::this_thread::yield();
      // The first replica may have worked in the loop of a whole line only; and one with a thread of its own
      // is there from the beginning, also if that thread has not come to it.
      const bool made = other.stages_ || (&other == &first_replica() && net_.has_started(first_)) ||
                        f.end_replica_ < f.there_;
      if (!made) continue;
      if (&other != this && other.home != &w.home) {
        f.end_turn_.store(static_cast<int>(f.end_replica_));
        return other.node::notify(&w);
      }
      other.prepare(w);
      other.stages_->position = at_the_end;
      other.ending_now_ = true;
      if (other.filling_) other.filling_->ranked = ranked;
      other.stages_->finish(w, f.end_stage_, longest_run);
      other.give(w, false);
    }
  }
  if (ranked && !f.numbered) {
    out.front().filling = new_output(never);
    hand_over(&w, out.front());
  }
  w.soon = w.depth == 0;
  first_replica().end(w);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
