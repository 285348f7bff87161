#include "remote.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "shared_settings.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr int few_runs = 3;   // to a worker, at first
constexpr int more_runs = 8;  // to a serial stage at first, and to anybody at most
// Until fewer in advance are tried. A worker that has nothing to do then waits for a millisecond or two.
constexpr std::int64_t first_patience_ns = 100'000'000, longest_patience_ns = 60'000'000'000;
// So many runs to each worker meanwhile, at least.
constexpr int least_fed = 4;
constexpr std::int64_t most_bytes_per_round_trip = std::int64_t{64} << 20;  // that a long link is filled with

bool is_farm(graph_engine& n, std::size_t stage) {
  return n.run().stages[stage].info->farm >= 0;
}

int runs_at_first(graph_engine& n, std::size_t stage) {
  return is_farm(n, stage) ? few_runs : more_runs;
}

// How many runs of items a rank with so many replicas of a stage takes from one sender in advance. `at_work`:
// so many of them at once, each with `ahead` runs.
int credit_for(graph_engine& n, std::size_t stage, int replicas, int at_work, int ahead) {
  if (const int asked = n.shared().credits(stage); asked > 0) return asked * replicas;
  return is_farm(n, stage) ? ahead * at_work : ahead;
}

// How many of a stage's replicas on a rank are at work at once, as both ends find it before they have heard
// of each other; the same for its credit.
int at_work_at_first(graph_engine& n, const exchange& by, std::size_t stage, const place_of& at) {
  const bool own_threads = n.run().stages[stage].info->opts.blocking;
  return own_threads ? at.replicas : std::min(at.replicas, by.workers(at.rank));
}

int credit_at_first(graph_engine& n, const exchange& by, std::size_t stage, const place_of& at) {
  return credit_for(n, stage, at.replicas, at_work_at_first(n, by, stage, at), runs_at_first(n, stage));
}

// So many runs, each so much work, keep replicas busy while what they have done is told and answered. Where
// that takes less than a run all is as on one machine.
std::int64_t runs_per_round_trip(const exchange& by, std::int64_t run_ns) noexcept {
  const auto round_trip = by.round_trip_ns();
  return round_trip < message_ns ? 0 : round_trip / run_ns + 1;
}

}  // namespace

void region::set_most(graph_engine& n, const exchange& by,
                      const std::function<int(std::size_t stage)>& replicas) {
  const auto fit = std::max<std::int64_t>(
      1, most_bytes_per_round_trip / static_cast<std::int64_t>(n.shared().message_bytes()));
  std::int64_t most = 0;
  for (const auto stage : farms) {
    const std::int64_t all = replicas(stage), asked = n.shared().credits(stage);
    const auto far = asked > 0 ? 0
                               : std::min(all * runs_per_round_trip(by, message_ns),
                                          static_cast<std::int64_t>(ranks) * fit);
    most = std::max(most, all * (asked > 0 ? asked : few_runs) + far);
  }
  window.store(16 + 2 * most);
}

// --- sending ---

outbound::outbound(graph_engine& n, std::size_t whose, exchange& by, std::uint32_t channel_id,
                   const std::vector<place_of>& from, const std::vector<place_of>& to, const region* in_order,
                   bool numbers, bool counted)
    : node(n, whose, whose + 1),
      by_(by),
      channel_(channel_id),
      region_(in_order),
      numbers_(numbers),
      counted_(counted) {
  in.resize(1);
  for (const auto& p : to) {
    targets_.emplace_back(p.rank, replicas_on(from, p.rank) > 0, credit_at_first(n, by, whose, p),
                          at_work_at_first(n, by, whose, p));
    if (p.rank == by.rank()) here_ = &targets_.back();
  }
}

// Where the thread that deals out the items would have to execute them itself, credit says nothing. A thread
// that stands in for a call that waits is no worker more: the farm itself has to have one.
bool outbound::somebody_is_free_here() const noexcept {
  return net_.how().thread_each || (home->has_idle() && !net_.all_replicas_work(first()));
}

bool outbound::window_is_full() const noexcept {
  return numbers_ && region_ != nullptr &&
         next_.load(std::memory_order_relaxed) - below_.load(std::memory_order_acquire) >=
             region_->window.load();
}

bool outbound::may_send() const noexcept {
  if (window_is_full()) return false;
  // What a source has not handed over yet is taken from it only for somebody who has nothing to do: otherwise
  // there would be a message for each item.
  const bool handed_over = in.front()->chunks() > 0 || inputs_ended();
  return !counted_ || std::any_of(targets_.begin(), targets_.end(), [&](const target& t) {
    return t.credit.load(std::memory_order_acquire) >= (handed_over ? 1 : std::max(1, t.most.load()));
  });
}

bool outbound::wants(std::size_t) const noexcept {
  return may_send();
}

// Whether it may send what there is, and since when it may not.
bool outbound::goes_on() {
  const bool may = may_send();
  if (may && blocked_since_ != 0) {
    waited_ = waits_for_credit_;
    blocked_ns_.store(blocked_ns() + observe::now_ns() - std::exchange(blocked_since_, 0),
                      std::memory_order_relaxed);
  } else if (!may && blocked_since_ == 0 && in.front()->chunks() > 0) {
    blocked_since_ = observe::now_ns();
    waits_for_credit_ = !window_is_full();
  }
  return may;
}

bool outbound::ready() {
  if (ended()) return false;
  return in.front()->empty() ? inputs_ended() : goes_on();
}

// Who has least under way for each that works; of several, in turn. What need not travel is preferred: but a
// rank that gets nothing unless somebody sends it comes before the thread that would then be busy here, if
// the work is worth a message.
outbound::target* outbound::choose() {
  const bool cheap = worth_.load(std::memory_order_relaxed) >= longest_run;
  const bool works_here = here_ != nullptr && here_->most.load(std::memory_order_relaxed) > 0;
  const bool stays = !works_here || cheap || somebody_is_free_here();
  target* best = nullptr;
  int best_class = 0;
  double least = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    auto& t = targets_[(turn_ + i) % targets_.size()];
    const auto credit = counted_ ? t.credit.load(std::memory_order_acquire) : 1;
    if (credit <= 0) continue;
    const bool here = &t == here_;
    if (here && stays) return &t;
    const int its_class = here ? 2 : t.feeds_itself || stays ? 1 : 3;
    const auto load = t.load();
    if (best != nullptr && (its_class < best_class || (its_class == best_class && load >= least))) continue;
    best_class = its_class;
    least = load;
    best = &t;
  }
  if (best != nullptr) turn_ = (turn_ + 1) % targets_.size();
  return best;
}

void outbound::execute(worker& w) {
  for (int i = 0; i < 8; ++i) {
    if (in.front()->empty()) {
      if (!inputs_ended()) return;
      for (const auto& t : targets_) by_.send_end(t.rank, channel_);
      end(w);
      return;
    }
    if (!goes_on()) return;
    auto* const to = choose();
    if (to == nullptr) return;
    auto items = take(w, 0, nullptr);
    if (!items) return;
    const auto n = items->size();
    if (n == 0 && !in.front()->whole && !in.front()->ranked) continue;
    const auto bytes = items->bytes();
    item_message p;
    p.number = numbers_ ? next_.fetch_add(1, std::memory_order_relaxed) : items->seq;
    p.items = std::move(items);
    p.waited = std::exchange(waited_, false);
    if (counted_) to->credit.fetch_sub(1, std::memory_order_acq_rel);
    const auto sent = by_.send(to->rank, channel_, std::move(p));
    adapt(n, std::max(bytes, sent));  // a codec knows of what is in an item, `size_of` need not
  }
}

// How many items to take at once.
void outbound::adapt(std::size_t items, std::size_t bytes) {
  if (items == 0) return;
  const auto each = static_cast<double>(bytes) / static_cast<double>(items);
  bytes_per_item_ = bytes_per_item_ == 0 ? each : bytes_per_item_ + (each - bytes_per_item_) / 4;
  const auto fit = static_cast<std::size_t>(static_cast<double>(net_.shared().message_bytes()) /
                                            std::max(1.0, bytes_per_item_));
  most_items_ = std::clamp<std::size_t>(worth_.load(std::memory_order_relaxed), 1,
                                        std::clamp<std::size_t>(fit, 1, longest_run));
  in.front()->set_batch(most_items_);
}

// Of items that are worth a message each, one that waits here is enough: more would only grow old.
void outbound::credited(int from, int runs, std::size_t grant) {
  worth_.store(grant, std::memory_order_relaxed);
  in.front()->keep_one(grant == 1);
  for (auto& t : targets_) {
    if (t.rank == from) t.credit.fetch_add(runs, std::memory_order_acq_rel);
  }
  notify();
}

void outbound::allowed(int from, int most, int at_work) {
  for (auto& t : targets_) {
    if (t.rank != from) continue;
    t.at_work.store(std::max(1, at_work), std::memory_order_relaxed);
    t.credit.fetch_add(most - t.most.exchange(most), std::memory_order_acq_rel);
  }
  notify();
}

void outbound::progressed(std::int64_t below) {
  // Two threads of the other end may tell it: the later one counts.
  auto known = below_.load();
  while (known < below && !below_.compare_exchange_weak(known, below)) {
  }
  notify();
}

// --- receiving ---

inbound::inbound(graph_engine& n, std::size_t whose, exchange& by, std::uint32_t channel_id,
                 const std::vector<place_of>& from, const region* in_order, bool restores, bool counted)
    : node(n, whose, whose + 1),
      by_(by),
      channel_(channel_id),
      region_(in_order),
      restores_(restores),
      counted_(counted),
      replicas_(replicas_on(by.places()[whose], by.rank())),
      credit_(credit_at_first(n, by, whose, {by.rank(), replicas_.load()})),
      ahead_(runs_at_first(n, whose)),
      patience_ns_(first_patience_ns),
      open_(0) {
  out.resize(1);
  for (const auto& p : from) {
    senders_.push_back({p.rank});
    if (!by.is_there(p.rank)) ++absent_;
  }
  open_.store(from.size() - absent_);
}

void inbound::arrived(int from, item_message p) {
  {
    const std::lock_guard hold(lock_);
    if (p.waited && counted_ && has_nothing_to_do()) starved_.store(true, std::memory_order_relaxed);
    std::size_t i = 0;
    while (senders_[i].rank != from) ++i;
    if (!restores_) {
      queue_.push_back({i, std::move(p)});
    } else if (p.number == at_the_end) {
      last_.push_back({i, std::move(p)});
    } else {
      const auto number = p.number;
      out_of_turn_.emplace(number, waiting{i, std::move(p)});
    }
  }
  notify();
}

// Under the lock. Nothing is here for somebody who could work on it.
bool inbound::has_nothing_to_do() const noexcept {
  const auto* const to = out.front().to;
  return queue_.empty() && to != nullptr && to->empty() &&
         (is_farm(net_, first()) ? !net_.all_replicas_work(first()) : to->to->asleep());
}

int inbound::at_work() const noexcept {
  return is_farm(net_, first()) ? net_.at_once(first(), replicas_.load()) : 1;
}

int inbound::few() const noexcept {
  return credit_for(net_, first(), replicas_.load(), at_work(), ahead_.load());
}

bool inbound::decides_itself() const noexcept {
  return net_.shared().credits(first()) == 0;
}

// Where somebody had nothing to do while the sender waited for credit, twice as much is in advance from now
// on; where that has not happened for long, less: then no worker has much to do when others have nothing, and
// items do not grow old in front of busy ones. Each time that less was too little it takes twice as long
// until it is tried again.
bool inbound::follow_need() {
  if (!decides_itself()) return false;
  const int ahead = ahead_.load();
  const bool starved = starved_.exchange(false, std::memory_order_relaxed);
  if (starved ? ahead >= more_runs : ahead == 1) return false;
  if (++fed_ < least_fed * at_work() && !starved) return false;
  const auto now = observe::now_ns();
  if (starved) {
    patience_ns_ = std::min(2 * patience_ns_, longest_patience_ns);
  } else if (now - fed_since_ < patience_ns_) {
    return false;
  }
  fed_ = 0;
  fed_since_ = now;
  ahead_.store(starved ? std::min(2 * ahead, more_runs) : ahead - 1);
  return true;
}

// Nothing until it is known how much work the items are: many in advance of large ones would leave some ranks
// with much to do when others have nothing.
int inbound::for_round_trip() const noexcept {
  const auto* const to = out.front().to;
  const int replicas = replicas_.load();
  if (!decides_itself() || to == nullptr || to->item_ns() == 0 || replicas == 0) return 0;
  const auto enough = at_work() * runs_per_round_trip(by_, std::max(message_ns, to->item_ns()));
  const auto fit = most_bytes_per_round_trip / std::max<std::int64_t>(1, bytes_per_run_.load());
  return static_cast<int>(std::min<std::int64_t>({enough, fit, 1 << 16}));
}

// How many, and not by how many more: the two ends need not have begun with the same number.
void inbound::allow(int most) {
  credit_.store(most);
  for (const auto& s : senders_) by_.set_credit(s.rank, channel_, most, at_work());
}

void inbound::set_replicas(int n) {
  replicas_.store(n);
  tell_how_many();
}

void inbound::tell_how_many() {
  if (!counted_) return;
  const std::lock_guard hold(allowing_);
  const int most = few() + for_round_trip();
  if (most != credit_.load()) allow(most);
}

// On long links once more than a little has changed.
void inbound::follow_costs() {
  if (!decides_itself()) return;
  const bool changed = follow_need();
  if (!changed && by_.round_trip_ns() < message_ns) return;
  const std::lock_guard hold(allowing_);
  const int most = few() + for_round_trip(), now = credit_.load();
  if (changed || 2 * most > 3 * now || 3 * most < 2 * now) allow(most);
}

void inbound::ended(int) {
  open_.fetch_sub(1, std::memory_order_acq_rel);
  notify();
}

bool inbound::expect_others() noexcept {
  if (absent_ == 0) return true;
  auto open = open_.load();
  do {
    if (open == 0) return false;
  } while (!open_.compare_exchange_weak(open, open + absent_));
  return true;
}

void inbound::expect_nobody() {
  if (absent_ == 0) return;
  open_.fetch_sub(absent_, std::memory_order_acq_rel);
  notify();
}

// Under the lock.
bool inbound::in_turn() const {
  return !out_of_turn_.empty() && out_of_turn_.begin()->first == next_;
}

bool inbound::has_next() const {
  const bool closed = all_ended();  // before the rest: nothing comes after it
  const std::lock_guard hold(lock_);
  return closed || !queue_.empty() || in_turn();
}

bool inbound::ready() {
  return !node::ended() && (owes_credit() || (has_next() && ask_for_room()));
}

// What still waits in the channel is part of what has been sent in advance. A stage with several inputs may
// leave it there until more has come; and of the cheapest items a run is not worth a look when it is taken.
bool inbound::owes_credit() const noexcept {
  const auto* const to = out.front().to;
  const bool counts = to != nullptr && to->to->in.size() == 1 && to->message() < longest_run;
  return handed_over_.load(std::memory_order_acquire) > (counts ? to->chunks() : 0);
}

void inbound::give_owed_credit() {
  for (; owes_credit(); handed_.pop_front()) {
    handed_over_.fetch_sub(1, std::memory_order_acq_rel);
    taken_from(handed_.front());
  }
}

void inbound::execute(worker& w) {
  auto& o = out.front();
  if (!std::exchange(begun_, true)) {
    tell_how_many();  // the policy of this rank may be another one
    fed_since_ = observe::now_ns();
    if (counted_ && o.to != nullptr) o.to->tell_each_take();
  }
  give_owed_credit();
  while (outputs_have_room()) {
    waiting got;
    {
      const bool closed = all_ended();
      const std::lock_guard hold(lock_);
      if (!queue_.empty()) {
        got = std::move(queue_.front());
        queue_.pop_front();
      } else if (in_turn()) {
        got = std::move(out_of_turn_.begin()->second);
        out_of_turn_.erase(out_of_turn_.begin());
        ++next_;
      } else if (closed && !last_.empty()) {
        // In the order of the ranks, as those of replicas come in the order of their numbers.
        const auto first = std::min_element(last_.begin(), last_.end(),
                                            [](const auto& a, const auto& b) { return a.from < b.from; });
        got = std::move(*first);
        last_.erase(first);
      } else if (!closed) {
        break;
      }
    }
    if (!got.what.items) {
      end(w);
      return;
    }
    o.filling = std::move(got.what.items);
    o.filling->seq = got.what.number;
    if (by_.round_trip_ns() > 0 && !o.filling->empty()) {
      const auto bytes = static_cast<std::int64_t>(o.filling->bytes()), known = bytes_per_run_.load();
      bytes_per_run_.store(known == 0 ? bytes : known + (bytes - known) / 4);
    }
    if (o.to == nullptr || o.to->whole || o.to->ranked || !o.filling->empty()) hand_over(&w, o);
    o.filling.reset();
    if (!counted_) {
      tell_progress();
      continue;
    }
    handed_.push_back(got.from);
    handed_over_.fetch_add(1, std::memory_order_acq_rel);
    give_owed_credit();
  }
}

// Those who sent it may send more.
void inbound::taken_from(std::size_t sender) {
  auto& s = senders_[sender];
  ++s.taken;
  // One message for several runs, but who has nothing left to do says so at once.
  const bool idle = [&] {
    const std::lock_guard hold(lock_);
    return queue_.empty();
  }();
  if (idle) {
    // All of them: one that may send less from now on would wait for ever for what it has not been told.
    for (auto& one : senders_) {
      if (one.taken > 0) tell(one);
    }
  } else if (s.taken * 2 >= few()) {
    tell(s);
  }
  follow_costs();
}

void inbound::tell_progress() {
  if (!restores_ || counted_) return;
  std::int64_t below = 0;
  {
    const std::lock_guard hold(lock_);
    if ((next_ - told_) * 4 < region_->window.load()) return;
    below = told_ = next_;
  }
  by_.tell_progress(region_->first_rank, region_->first_channel, below);
}

void inbound::tell(sender& s) {
  const auto* const to = out.front().to;
  const auto grant = to == nullptr ? longest_run : to->message();
  by_.give_credit(s.rank, channel_, std::exchange(s.taken, 0), grant);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
