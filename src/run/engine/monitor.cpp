#include "monitor.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/logger.hpp>
#include <thalweg/pipe/membarrier.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "graph_engine.hpp"
#include "nodes.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

constexpr std::chrono::microseconds between_looks{1'000};
// A look wakes a core that sleeps, which takes some 50 µs of its time.
constexpr std::chrono::milliseconds shortest_rest{8}, longest_rest{32};
constexpr int quiet_looks = 3;
constexpr std::int64_t long_run_ns = 1'000'000;
constexpr std::int64_t sure_ns = 50'000'000;     // that nothing is only about to move
constexpr std::int64_t told_ns = 1'000'000'000;  // that a loop rests before somebody is told

}  // namespace

monitor::~monitor() {
  end();
}

void monitor::begin() {
  const std::lock_guard hold(lock_);
  if (over_ || thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    over_ = true;  // the system has no more threads: the run does without
  }
}

void monitor::end() {
  {
    const std::lock_guard hold(lock_);
    over_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable() && thread_.get_id() != std::this_thread::get_id()) thread_.join();
}

void monitor::watch() {
  std::unique_lock hold(lock_);
  int quiet = 0;
  auto rest = shortest_rest;
  while (!changed_.wait_for(hold, between_looks, [&] { return over_; })) {
    hold.unlock();
    quiet = look() ? quiet + 1 : 0;
    hold.lock();
    if (quiet == 0) rest = shortest_rest;
    if (quiet < quiet_looks) continue;
    rests_.store(true);
    pipe::full_fence();  // the thread that begins a run sees this, or the next look sees the run
    hold.unlock();
    const bool still = look();
    hold.lock();
    if (!still) {
      rests_.store(false);
      quiet = 0;
      continue;
    }
    const bool called = changed_.wait_for(hold, rest, [&] { return over_ || !rests_.load(); });
    rest = called ? shortest_rest : std::min(2 * rest, longest_rest);
    rests_.store(false);
  }
}

void monitor::call() noexcept {
  {
    const std::lock_guard hold(lock_);
    rests_.store(false);
  }
  changed_.notify_all();
}

// No run of several items is in hand, nothing is lent, and no node waits for a thread. What a single item
// gives in the middle of a call that takes long waits for a look after the next rest.
bool monitor::is_quiet() {
  return std::none_of(runners_.begin(), runners_.end(),
                      [](const stage_runner* l) { return l->began() != 0 && l->has_several(); }) &&
         std::all_of(ready_.begin(), ready_.end(), [](std::size_t n) { return n == 0; }) &&
         std::all_of(lent_.begin(), lent_.end(), [](const auto& e) { return e.second == 0; });
}

// Returns whether there was nothing to look after.
bool monitor::look() {
  if (net_.over()) return true;
  try {
    const auto now = observe::now_ns();
    net_.run_ns_.store(std::clamp((now - net_.began_ns_) / runs_of_a_stream, shortest_run_ns, longest_run_ns),
                       std::memory_order_relaxed);
    cut_long_runs(now);
    hand_on_what_was_lent();
    call_threads();
    net_.stand_ins_.look();
    end_deadlock(now);
    tell_of_loops(now);
    return !net_.overcommit_.look(now) && is_quiet();
  } catch (const thalweg::cancelled&) {  // what a pipe of the user's threw: that has been noted
    net_.wake();
    return true;
  } catch (...) {
    net_.run().fail(std::current_exception(), 0);  // an item that cannot be moved
    net_.wake();
    return true;
  }
}

void monitor::cut_long_runs(std::int64_t now) {
  // They live as long as the engine. Nobody must wait for this list while results go on.
  {
    const std::lock_guard hold(net_.runners_lock_);
    runners_ = net_.runners_;
  }
  for (auto* l : runners_) {
    if (const auto began = l->began(); began == 0 || now - began <= long_run_ns) continue;
    l->cut();
    l->hand_on();
  }
}

void monitor::hand_on_what_was_lent() {
  for (const auto& e : net_.channels_) {
    if (!e->borrows() || e->to == nullptr) continue;
    const auto n = e->lent_items();
    auto& before = lent_[e.get()];
    if (n > 0 && n == before && e->to->asleep() && e->to->could_borrow()) e->to->notify();
    before = n;
  }
}

// Over several ranks all of them together find it out.
void monitor::end_deadlock(std::int64_t now) {
  const auto stands = net_.run().others ? std::nullopt : net_.stands_still();
  if (!stands || stands->by != remedy::failure) {
    stood_ns_ = 0;
  } else if (stood_ns_ == 0 || stands->since != stands_since_) {
    stands_since_ = stands->since;
    stood_ns_ = now;
  } else if (now - stood_ns_ > sure_ns) {
    (void)net_.relieve(remedy::failure);
  }
}

// A stage in it has items, and waits for others that only the loop itself could give: that may be right, if
// what comes next from outside makes it go on.
void monitor::tell_of_loops(std::int64_t now) {
  loops_.resize(net_.loops_.size());
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    auto& seen = loops_[i];
    const auto& nodes = net_.loops_[i]->nodes;
    const auto done = std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0},
                                      [](std::uint64_t sum, const node* n) { return sum + n->items_done(); });
    const bool rests = std::all_of(nodes.begin(), nodes.end(), [](const node* n) {
      return n->asleep() && !n->has_doors() && !n->timed && n->outputs_have_room();
    });
    const auto waiting =
        std::find_if(nodes.begin(), nodes.end(), [](const node* n) { return n->waits_for_its_loop(); });
    const bool moved = done != std::exchange(seen.items_done, done);
    if (!rests || waiting == nodes.end() || moved || seen.since_ns == 0) {
      seen.since_ns = now;
    } else if (now - seen.since_ns > told_ns && !std::exchange(seen.told, true)) {
      observe::logger("run").warning((*waiting)->what_waits() + ": nothing else moves in its loop");
    }
  }
}

void monitor::call_threads() {
  std::vector<thread_group*> all;
  {
    const std::lock_guard hold(net_.groups_lock_);
    all = net_.thread_groups_;
  }
  ready_.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto now = all[i]->ready();
    if (now > 0 && ready_[i] > 0 && all[i]->anybody_idle()) all[i]->call();
    ready_[i] = now;
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
