// State for each key, in parallel: see keyed_farm.
//
// State: a window of runs from `next_out_` to `next_in_`, each with the number of parts that have yet to work
//   on it; of each part a ring of runs, from `taken_` to `given_`; `active_`, how many parts are at work.
// Writers: the partitioner fills the rings and moves the window; each part empties its ring and counts down.
// Invariant: a part works on its runs in order; as many parts work at once as there are replicas, at most;
//   the oldest run goes on when its number is zero. Who finds no place changes nothing: who leaves one sees
//   to those that have work, also to one that is about to sleep.
// Model: docs/protocols/partitions.pml.
#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <bit>
#include <bitset>
#include <span>
#include <utility>

#include "../distributed/graph/coordinator.hpp"
#include "../distributed/graph/remote_partitioner.hpp"
#include "../looks.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::int64_t longer_over_ranks = 4;  // runs of items, since each costs messages
constexpr std::int64_t busy_ns = 200'000;      // that a run of items keeps each replica at work
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

using places = std::vector<model::key_part::place>;

std::size_t end_of(const std::vector<part>& parts) {
  return parts.back().first + parts.back().stages.last - parts.back().stages.first;
}

// Whether a stage wants to be called when time has passed. Of one with keys the partitioner tells the time.
bool has_timers(const run_state& run, const std::vector<part>& parts, bool keyed) {
  for (auto s = parts.front().first + (keyed ? 1 : 0); s < end_of(parts); ++s) {
    if (run.stages[s].info->timed) return true;
  }
  return false;
}

// Puts the places of all parts into order: calls `f(part, place)` for one after the other.
template <class F> void in_order(std::span<const places> all, F&& f) {
  struct cursor {
    const model::key_part::place* at;
    const model::key_part::place* end;
    std::size_t part;
  };
  const auto later = [](const cursor& a, const cursor& b) { return *a.at > *b.at; };
  std::vector<cursor> open;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& p = all[i];
    if (!p.empty()) open.push_back({p.data(), p.data() + p.size(), i});
  }
  std::make_heap(open.begin(), open.end(), later);
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), later);
    auto& next = open.back();
    f(next.part, *next.at);
    if (++next.at == next.end) {
      open.pop_back();
    } else {
      std::push_heap(open.begin(), open.end(), later);
    }
  }
}

}  // namespace

keyed_farm::keyed_farm(graph_engine& n, std::vector<part> parts, std::size_t replicas,
                       const model::stage_info& info, bool apart)
    : replicated(replicas),
      parts_(std::move(parts)),
      keyed_(info.state.keyed()),
      watermarked_(info.state.watermarked),
      timed_(info.state.keyed() && info.timed && !info.state.hears_silence),
      hears_silence_(info.state.keyed() && info.state.hears_silence),
      timers_(has_timers(n.run(), parts_, info.state.keyed())),
      gives_(n.run().stages[end_of(parts_) - 1].info->out != nullptr),
      // One thread has one order, except that time alone makes results.
      ordered_(!info.unordered || (n.how().sequential && !timers_)),
      apart_(apart) {}

keyed_farm::keyed_farm(graph_engine& n, std::vector<part> parts, std::size_t replicas,
                       const model::stage_info& info)
    : keyed_farm(n, std::move(parts), replicas, info, false) {
  front = std::make_unique<partitioner>(*this, n, parts_.front().first, end_of(parts_));
  add_partitions(n, partition_count);
}

keyed_farm::keyed_farm(graph_engine& n, std::vector<part> parts, const model::stage_info& info,
                       std::unique_ptr<part_placement> over)
    : keyed_farm(n, std::move(parts), over->replicas(), info, false) {
  over_ = std::move(over);
  ordered_ = !info.unordered || over_->places.size() > most_fresh;
  auto made = std::make_unique<coordinator>(*this, n, parts_.front().first, end_of(parts_));
  for (auto& s : made->ranks()) partition_workers_.push_back(s.get());
  front = std::move(made);
}

std::unique_ptr<keyed_farm> keyed_farm::make_remote_partitioner(graph_engine& n,
                                                                const model::stage_info& info,
                                                                std::size_t place) const {
  const auto replicas = std::max(1, over_->places[place].replicas);
  std::unique_ptr<keyed_farm> made(new keyed_farm(n, parts_, static_cast<std::size_t>(replicas), info, true));
  made->ordered_ = ordered_;
  made->front =
      std::make_unique<remote_partitioner>(*made, n, parts_.front().first, end_of(parts_), *over_, place);
  made->add_partitions(n, over_->most_at(place));
  made->partition_workers_.resize(over_->parts().at(place));
  made->in_use_.store(made->partition_workers_.size());
  return made;
}

void keyed_farm::add_partitions(graph_engine& n, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<partition>(*this, n, parts_.front().first, end_of(parts_), i));
    partition_workers_.push_back(all.back().get());
  }
  in_use_.store(count);
}

keyed_farm::~keyed_farm() = default;

// Unordered, with the marks of the items that they come from: those of `results` from `from` on.
void keyed_farm::mark_as_sent(batch& b, pipe::chunk_base& results, std::size_t from,
                              const std::vector<model::key_part::place>& at) const {
  if (!b.marks.empty()) {
    results.change_marks(from, results.size(), [&](const pipe::mark& m) {
      const auto rank = watermarked_ ? at[static_cast<std::size_t>(m.rank)].rank : m.rank;
      const auto& of_item = b.marks[static_cast<std::size_t>(rank - b.first)];
      return pipe::mark{watermarked_ || over_ ? of_item.due : m.due, of_item.rank};
    });
  }
  results.paced = b.paced;
  results.ranked = b.ranked;
}

void keyed_farm::set_replicas(std::size_t n) {
  limit_.store(n);
  for (std::size_t i = 0; i < in_use_.load(); ++i) all[i]->notify();
}

worker_group* keyed_farm::home() const noexcept {
  return front->home;
}

bool keyed_farm::items_wait() const noexcept {
  return !front->in.front()->empty();
}

// At most so many parts at once as there are replicas. Who finds no place changes nothing: whoever has one
// will see to the others when it leaves it.
bool keyed_farm::begin_one() noexcept {
  auto n = active_.load();
  while (n < replicas()) {
    if (active_.compare_exchange_weak(n, n + 1)) return true;
  }
  return false;
}

// A place is free: a part that found all of them taken may go on. One that is about to sleep is told to look
// again; the first that sleeps is woken up, and sees to the others in turn.
void keyed_farm::next_one(worker& w) {
  for (const auto& p : std::span(all.data(), in_use_.load())) {
    if (!p->has_work()) continue;
    const bool slept = p->asleep();
    p->notify(&w);
    if (slept) return;
  }
}

// --- a part of the keys ---

keyed_farm::partition::partition(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last,
                                 std::size_t number)
    : node(n, first, last), farm_(f), number_(number) {}

keyed_farm::partition::~partition() = default;

void keyed_farm::partition::prepare(worker& w) {
  if (stages_) return;
  if (farm_.gives_) filling_ = farm_.front->new_output();
  stages_ = std::make_unique<stage_runner>(net_, farm_.parts_, number_, filling_.get(), *this);
  stages_->paced = farm_.front->paced;
  if (farm_.keyed_) stages_->keys = &part_;
  stages_->start(w);
}

bool keyed_farm::partition::has_work() const noexcept {
  return taken_.load() < given_.load();
}

bool keyed_farm::partition::ready() {
  return !farm_.front->ended() && has_work() && farm_.active_.load() < farm_.replicas();
}

void keyed_farm::partition::execute(worker& w) {
  auto& f = farm_;
  if (!f.begin_one()) return;
  struct working {
    keyed_farm& farm;
    worker& w;
    ~working() {
      farm.active_.fetch_sub(1);
      farm.next_one(w);
    }
  } const counted{f, w};
  const auto end = given_.load();
  for (auto k = taken_.load(); k < end; ++k) {
    auto& b = *to_do_[static_cast<std::size_t>(k % most_runs)];
    auto& mine = b.in[number_];
    const bool has_items = mine != nullptr && !mine->empty();
    if (has_items) prepare(w);
    const bool time_has_come = !b.moments.empty() && part_.next <= b.moments.back().watermark;
    const bool timer = f.timers_ && stages_ && stages_->deadline() <= observe::now_ns();
    std::size_t of_timers = 0;
    if (has_items || time_has_come || timer) {
      stages_->position = b.position;
      stages_->born_ns = b.born_ns;
      part_.first = b.first;
      part_.moments = b.moments;
      part_.marks = b.marks;
      part_.reached = 0;
      if (f.watermarked_) part_.late = b.late[number_].get();
    }
    if (timer) {
      if (filling_) filling_->ranked = true;
      stages_->fire_timers(w, no_limit, has_items);
      if (filling_) of_timers = filling_->size();
    }
    if (has_items) {
      b.worked_ns.fetch_add(stages_->process(w, *mine, no_limit), std::memory_order_relaxed);
      mine->clear();
    }
    if (!b.moments.empty() && part_.next <= b.moments.back().watermark) {
      if (filling_) filling_->ranked = true;
      stages_->catch_up(w, no_limit);
    }
    if (has_items || time_has_come || timer) {
      if (filling_) put_results(b, of_timers);
      if (f.watermarked_) b.places[number_].swap(part_.places);
      deadline_.store(part_.next, std::memory_order_relaxed);
      if (f.timers_) timer_.store(stages_->deadline(), std::memory_order_relaxed);
    }
    taken_.store(k + 1);
    const bool to_send = b.fresh.load(std::memory_order_relaxed) != 0;
    if (b.pending.fetch_sub(1, std::memory_order_acq_rel) == 1 || to_send) f.front->notify(&w);
  }
}

// What has come of a run of items goes to the partitioner; first what timers have made, which belongs to no
// item. Where nobody puts it into order it is ready to be sent.
void keyed_farm::partition::put_results(batch& b, std::size_t of_timers) {
  auto& f = farm_;
  const bool send = !f.ordered_ && !filling_->empty();
  if (send && f.apart_) {
    filling_->change_marks(0, of_timers, [&](const pipe::mark& m) {
      return pipe::mark{m.due, f.watermarked_ ? part_.put(b.first) : b.first};
    });
  } else if (send) {
    if (!b.marks.empty()) {
      filling_->change_marks(0, of_timers, [&](const pipe::mark& m) {
        return pipe::mark{m.due, b.marks.front().rank};
      });
    }
    f.mark_as_sent(b, *filling_, of_timers, part_.places);
  }
  if (!b.out[number_]) b.out[number_] = f.front->new_output();
  b.out[number_]->swap_items(*filling_);
  if (send && !f.apart_) b.fresh.fetch_or(std::uint32_t{1} << number_, std::memory_order_release);
}

// Keys and what belongs to them come from another rank, or go there. The part has nothing to do meanwhile.
void keyed_farm::partition::put_states(worker& w, pipe::chunk_base& from) {
  prepare(w);
  const auto& p = farm_.parts_.front();
  auto& component = *net_.run().plan.components[p.component];
  if (!net_.run().guard(p.component, stages_->position, static_cast<int>(number_),
                        [&] { component.put_states(p.stages.first, number_, from); }))
    throw cancelled{};
}

chunk_ptr keyed_farm::partition::take_states() {
  if (!stages_) return nullptr;  // it has never had any
  const auto& p = farm_.parts_.front();
  auto& component = *net_.run().plan.components[p.component];
  auto all = component.make_states(p.stages.first);
  if (!net_.run().guard(p.component, stages_->position, static_cast<int>(number_),
                        [&] { component.take_states(p.stages.first, number_, *all); }))
    throw cancelled{};
  return all;
}

// --- the items of all keys ---

keyed_farm::partitioner::partitioner(keyed_farm& f, graph_engine& n, std::size_t first, std::size_t last)
    : node(n, first, last), farm_(f) {}

chunk_ptr keyed_farm::partitioner::new_output() const {
  const auto& p = farm_.parts_.back();
  return net_.run().plan.components[p.component]->make_chunk(p.stages.last - 1);
}

bool keyed_farm::partitioner::first_is_done() const {
  const auto k = farm_.next_out_.load();
  return k != farm_.next_in_.load() && farm_.batch_at(k).pending.load() == 0;
}

bool keyed_farm::partitioner::drained() const {
  return farm_.next_out_.load() == farm_.next_in_.load();
}

bool keyed_farm::partitioner::has_place() const noexcept {
  return farm_.next_in_.load() - farm_.next_out_.load() < most_runs;
}

bool keyed_farm::partitioner::has_fresh() const {
  if (farm_.ordered_) return false;
  const auto end = farm_.next_in_.load();
  for (auto k = farm_.next_out_.load(); k < end; ++k) {
    if (farm_.batch_at(k).fresh.load() != 0) return true;
  }
  return false;
}

// Unordered: sends what the parts have ready, each in its order.
void keyed_farm::partitioner::send_fresh(worker& w) {
  auto& f = farm_;
  if (f.ordered_ || out.empty()) return;
  const auto begin = f.next_out_.load();
  const auto end = f.next_in_.load();
  // The newest are looked at first: where one of them is seen, what the part had ready before is seen, too.
  std::array<std::uint32_t, most_runs> ready{};
  for (auto k = end; k-- > begin;)
    ready[static_cast<std::size_t>(k - begin)] = f.batch_at(k).fresh.load(std::memory_order_acquire);
  for (auto k = begin; k < end; ++k) {
    for (auto left = ready[static_cast<std::size_t>(k - begin)]; left != 0; left &= left - 1) {
      if (!outputs_have_room()) return;
      send_part(w, f.batch_at(k), static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

void keyed_farm::partitioner::send_part(worker& w, batch& b, std::size_t part) {
  b.fresh.fetch_and(~(std::uint32_t{1} << part), std::memory_order_relaxed);
  auto& o = out.front();
  o.filling.swap(b.out[part]);
  o.filling->position = b.position;
  o.filling->born_ns = b.born_ns;
  o.filling->upto = std::numeric_limits<std::int64_t>::min();
  w.soon = w.depth == 0;
  hand_over(&w, o);
  o.filling.swap(b.out[part]);
}

// Tells an ordered merge that nothing of a lower rank will come any more.
void keyed_farm::partitioner::promise(worker& w, std::int64_t upto) {
  auto& o = out.front();
  if (o.to == nullptr || !o.to->ranked) return;
  if (!o.filling) o.filling = new_output();
  o.filling->ranked = true;
  o.filling->upto = upto;
  hand_over(&w, o);
}

std::int64_t keyed_farm::partitioner::deadline() const {
  auto& f = farm_;
  if (!f.timed_ && !f.timers_ && !f.hears_silence_) return never;
  const auto next_out = f.next_out_.load();
  const auto next_in = f.next_in_.load();
  // What is being worked on tells windows the time as well, but timers only of the parts that it concerns.
  const bool windows = f.timed_ && next_out == next_in;
  const bool timers = f.timers_ && told_.load() < next_out && next_in - next_out < most_runs;
  auto when = f.hears_silence_ && next_out == next_in ? silent_at_.load(std::memory_order_relaxed) : never;
  for (const auto* p : f.partition_workers_) {
    if (windows) when = std::min(when, p->deadline_.load(std::memory_order_relaxed));
    if (timers) when = std::min(when, p->timer_.load(std::memory_order_relaxed));
  }
  return when;
}

bool keyed_farm::partitioner::ready() {
  if (ended()) return false;
  if (deadline() <= observe::now_ns()) return ask_for_room();
  return (first_is_done() || has_fresh() || (drained() && inputs_ended()) || (has_place() && may_take(0))) &&
         ask_for_room();
}

void keyed_farm::partitioner::execute(worker& w) {
  if (log_ == nullptr) log_ = &net_.run().counters.new_log(first_, 1);
  send_fresh(w);
  while (first_is_done() && outputs_have_room()) unite(w);
  if (has_place() && may_take(0) && outputs_have_room()) divide(w);
  if (deadline() <= observe::now_ns() && outputs_have_room()) tell_time(w);
  if (drained() && inputs_ended()) finish(w);
}

void keyed_farm::partitioner::divide(worker& w) {
  auto& f = farm_;
  const auto begin = observe::now_ns();
  auto items = take(w, 0, std::move(back_));
  if (!items) return;
  show_items(net_.run(), first_, 0, *items);
  const auto n = items->size();
  auto& b = f.batch_at(f.next_in_.load());
  b.items = n;
  b.first = count_;
  b.position = items->position;
  b.born_ns = items->born_ns;
  b.upto = items->upto;
  b.paced = items->paced;
  b.ranked = items->ranked;
  b.marks.clear();
  for (std::size_t i = 0; items->marked() && i < n; ++i) b.marks.push_back(items->mark_of(i));
  b.who.resize(n);
  prepare(b, *items);
  position_ = items->position;
  upto_ = items->upto;
  if (items->marked() && n > 0) last_mark_ = items->mark_of(n - 1);
  const auto& p = f.parts_.front();
  if (!net_.run().guard(p.component, items->position, 0, [&] {
        if (f.watermarked_) {
          b.moments.clear();
          net_.run().plan.components[p.component]->take_times(p.stages.first, items.get(), begin, clock_,
                                                              b.moments);
          silent_at_.store(clock_.silent_at, std::memory_order_relaxed);
        }
        split(*items, b);
      })) {
    throw cancelled{};
  }
  count_ += static_cast<std::int64_t>(n);
  back_ = std::move(items);
  b.divided_ns =
      observe::now_ns() - begin;  // without what it takes to wake others, which does not depend on n
  start(w, b);
}

void keyed_farm::partitioner::prepare(batch& b, const pipe::chunk_base& like) {
  const auto count = farm_.partition_workers_.size();
  b.in.resize(count);
  b.out.resize(count);
  for (auto& c : b.in) {
    if (!c) c = like.sibling();
    c->clear();
    c->paced = b.paced;
    c->ranked = true;
  }
  if (!farm_.watermarked_) return;
  b.late.resize(count);
  for (auto& c : b.late) {
    if (!c) c = like.sibling();
    c->ranked = true;
  }
}

void keyed_farm::partitioner::split(pipe::chunk_base& items, batch& b) {
  const auto& p = farm_.parts_.front();
  net_.run().plan.components[p.component]->divide(p.stages.first, items, b.in, b.first, b.who, {});
}

// A run without items: time has passed.
void keyed_farm::partitioner::tell_time(worker& w) {
  auto& f = farm_;
  auto& b = f.batch_at(f.next_in_.load());
  const auto now = observe::now_ns();
  b.items = 0;
  b.first = count_;
  b.position = position_;
  b.born_ns = now;
  b.upto = upto_;
  b.paced = paced;
  b.ranked = !out.empty() && out.front().to != nullptr && out.front().to->ranked;
  b.moments.clear();
  if (f.timed_ || clock_.silent_at <= now) {
    const auto& p = f.parts_.front();
    net_.run().plan.components[p.component]->take_times(p.stages.first, nullptr, now, clock_, b.moments);
    silent_at_.store(clock_.silent_at, std::memory_order_relaxed);
  }
  b.marks.clear();
  if (b.paced || b.ranked) b.marks.push_back(last_mark_);
  b.who.clear();
  const auto count = f.partition_workers_.size();
  b.in.resize(count);
  b.out.resize(count);
  b.late.resize(count);
  told_.store(f.next_in_.load());
  start(w, b);
}

void keyed_farm::partitioner::start(worker& w, batch& b) {
  auto& f = farm_;
  const auto count = f.partition_workers_.size();
  if (f.watermarked_) {
    b.places.resize(count);
    for (auto& p : b.places) p.clear();
  }
  // Those with items, or timers; where time has passed for windows, all.
  const auto now = f.timers_ ? observe::now_ns() : 0;
  const auto concerns = [&](std::size_t i) {
    return !b.moments.empty() || (b.in[i] != nullptr && !b.in[i]->empty()) ||
           (f.timers_ && f.partition_workers_[i]->timer_.load(std::memory_order_relaxed) <= now);
  };
  std::bitset<most_partitions> concerned;
  for (std::size_t i = 0; i < count; ++i) concerned[i] = concerns(i);
  b.number = f.next_in_.load(std::memory_order_relaxed);
  b.pending.store(concerned.count(), std::memory_order_relaxed);
  f.next_in_.fetch_add(1);
  w.soon = w.depth == 0;
  // From the first one on the parts may be at work on it, so `b.in` is theirs.
  for (std::size_t i = 0; i < count; ++i) {
    if (concerned[i]) f.partition_workers_[i]->add_work(w, b);
  }
}

void keyed_farm::partition::add_work(worker& w, batch& b) {
  const auto k = given_.load(std::memory_order_relaxed);
  to_do_[static_cast<std::size_t>(k % most_runs)] = &b;
  given_.store(k + 1);
  notify(&w);
}

// In the order of the stream, one at a time.
void keyed_farm::partitioner::give_late(batch& b) {
  chunk_ptr all;
  for (const auto& c : b.late) {
    if (c && !c->empty()) all = c->sibling();
  }
  if (!all) return;
  all->gather(b.late, b.who, b.first, {}, {});
  for (const auto& c : b.late) {
    if (c) c->clear();
  }
  const auto& p = farm_.parts_.front();
  if (!net_.run().guard(p.component, b.position, 0,
                        [&] { net_.run().plan.components[p.component]->give_late(p.stages.first, *all); })) {
    throw cancelled{};
  }
}

void keyed_farm::partitioner::line_up(const std::vector<places>& all) {
  line_.clear();
  order_.clear();
  marks_.clear();
  in_order(all, [&](std::size_t part, const model::key_part::place& at) {
    line_.push_back(at);
    order_.push_back(static_cast<std::uint8_t>(part));
  });
}

void keyed_farm::partitioner::unite(worker& w) {
  auto& f = farm_;
  auto& b = f.batch_at(f.next_out_.load());
  if (f.watermarked_) give_late(b);
  if (!f.ordered_ && !out.empty()) {
    for (auto left = b.fresh.load(std::memory_order_acquire); left != 0; left &= left - 1)
      send_part(w, b, static_cast<std::size_t>(std::countr_zero(left)));
    promise(w, b.upto);
  } else if (!out.empty()) {
    auto& o = out.front();
    if (!o.filling) o.filling = new_output();
    o.filling->paced = b.paced;
    o.filling->ranked = b.ranked;
    if (f.watermarked_) {
      line_up(b.places);
      if (!b.marks.empty()) {
        for (const auto& at : line_) marks_.push_back(b.marks[static_cast<std::size_t>(at.rank - b.first)]);
      }
      o.filling->gather(b.out, order_, marks_);
    } else {
      o.filling->gather(b.out, b.who, b.first, {}, b.marks);
    }
    for (auto& c : b.out) {
      if (c) c->clear();
    }
    o.filling->position = b.position;
    o.filling->born_ns = b.born_ns;
    o.filling->upto = b.upto;
    w.soon = w.depth == 0;
    hand_over(&w, o);
  }
  const auto n = b.items;
  // A run keeps every replica busy for `busy_ns`, no longer: what waits behind it costs memory and time.
  const auto worked = b.worked_ns.exchange(0, std::memory_order_relaxed);
  const auto busy = net_.at_most_asked(busy_ns);
  const auto each =
      std::max(b.divided_ns, worked * net_.run_ns() / (busy * static_cast<std::int64_t>(f.replicas())));
  learn(n, f.over_ ? each * busy / net_.at_most_asked(longer_over_ranks * busy_ns) : each);
  f.next_out_.fetch_add(1);
  leave_loop(&w, static_cast<std::int64_t>(n));
}

void keyed_farm::partitioner::end_stage(worker& w, std::size_t stage, std::vector<chunk_ptr>& sent,
                                        std::vector<places>& at) {
  for (std::size_t i = 0; i < farm_.all.size(); ++i) {
    auto& part = *farm_.all[i];
    if (!part.stages_) continue;
    part.stages_->position = at_the_end;
    part.part_.places.clear();
    if (part.filling_) part.filling_->ranked = true;
    part.stages_->finish(w, stage, no_limit);
    at[i].swap(part.part_.places);
    if (!part.filling_ || part.filling_->empty()) continue;
    sent[i] = new_output();
    sent[i]->swap_items(*part.filling_);
  }
}

void keyed_farm::partitioner::send_last(worker& w, std::size_t stage, const std::vector<chunk_ptr>& sent,
                                        const std::vector<places>& at) {
  if (out.empty()) return;
  auto& o = out.front();
  const bool ranked = o.to != nullptr && o.to->ranked;
  if (!o.filling) o.filling = new_output();
  o.filling->paced = paced;
  o.filling->ranked = ranked;
  if (farm_.watermarked_ && stage == first_) {
    line_up(at);
    if (paced || ranked) marks_.assign(line_.size(), {last_mark_.due, pipe::end_rank});
    o.filling->gather(sent, order_, marks_);
  } else {
    o.filling->gather(sent, false);
  }
  o.filling->position = at_the_end;
  o.filling->born_ns = observe::now_ns();
  hand_over(&w, o);
}

void keyed_farm::partitioner::end_all(worker& w) {
  if (!out.empty()) promise(w, never);
  w.soon = w.depth == 0;
  end(w);
}

// The end hooks of all parts, stage by stage.
void keyed_farm::partitioner::finish(worker& w) {
  for (auto s = first_; s < last_; ++s) {
    std::vector<chunk_ptr> sent(farm_.all.size());
    std::vector<places> at(farm_.all.size());
    end_stage(w, s, sent, at);
    send_last(w, s, sent, at);
  }
  end_all(w);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
