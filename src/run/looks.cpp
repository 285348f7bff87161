// State: the looks of each stage (`sights`, under `listing`), and what each has seen (under its `mutex`).
// Writers: threads that open or close a look; threads of the run add items, and remove a look that has all.
// Invariant: threads of the run only try to lock, and print while they hold none of the locks that others
//   lock. `printing` keeps a second thread of the run from printing for the same stage.
#include "looks.hpp"

#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <utility>

#include "item_text.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

// What looking may cost: after something that took a time, nothing for a hundred times as long. Printing that
// is quick needs no such rest, since there is a limit anyway.
constexpr std::int64_t rest = 100;
constexpr std::int64_t quick_print_ns =
    look_limit::second_ns / rest / static_cast<std::int64_t>(look_limit::tokens);
constexpr std::int64_t longest_rest_between_runs_ns = 50'000'000;
constexpr auto far_away = std::chrono::hours(24 * 365);  // can be added to any time

// Others hold these locks for some instructions only, unless their thread has lost its core meanwhile.
std::unique_lock<std::mutex> tried(std::mutex& m) {
  std::unique_lock hold(m, std::try_to_lock);
  for (int i = 0; i < 100 && !hold; ++i) {
    pipe::cpu_pause();
    (void)hold.try_lock();
  }
  return hold;
}

bool wants(const sight& one, std::size_t port) {
  return one.wanted.load(std::memory_order_relaxed) > 0 &&
         std::ranges::find(one.ports, port) != one.ports.end();
}

void give(sight& to, const seen_item& item) {
  if (to.wanted.load(std::memory_order_relaxed) == 0) return;
  const auto hold = tried(to.mutex);
  if (!hold) return;
  to.items.push_back(item);
  to.wanted.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

looks::looks(std::size_t stages, std::int64_t began_ns, clock now)
    : began_ns_(began_ns), now_(now), spots_(stages) {}

looks::~looks() {
  run_over();
}

void looks::open(const std::shared_ptr<sight>& what) {
  auto& s = spots_[what->stage];
  const std::lock_guard hold(s.listing);
  if (over_.load()) {
    const std::lock_guard its(what->mutex);
    what->over = true;
    return;
  }
  s.sights.push_back(what);
  s.open.fetch_add(1, std::memory_order_relaxed);
  open_.fetch_add(1, std::memory_order_relaxed);
}

void looks::close(const sight& what) noexcept {
  auto& s = spots_[what.stage];
  const std::lock_guard hold(s.listing);
  forget(s, what);
}

// Under `listing`.
void looks::forget(spot& s, const sight& what) noexcept {
  const auto gone = std::erase_if(s.sights, [&](const auto& one) { return one.get() == &what; });
  s.open.fetch_sub(static_cast<int>(gone), std::memory_order_relaxed);
  open_.fetch_sub(static_cast<int>(gone), std::memory_order_relaxed);
}

void looks::run_over() {
  over_.store(true);
  for (auto& s : spots_) {
    std::vector<std::shared_ptr<sight>> all;
    {
      const std::lock_guard hold(s.listing);
      all = s.sights;
      for (const auto& one : all) forget(s, *one);
    }
    for (const auto& one : all) {
      const std::lock_guard hold(one->mutex);
      one->over = true;
      one->changed.notify_all();
    }
  }
}

void looks::show(std::size_t stage, std::size_t port, const pipe::chunk_base& items) noexcept {
  auto& s = spots_[stage];
  try {
    if (!items.empty()) show_at(s, port, items);
  } catch (...) {  // no memory: the items pass unseen
  }
}

void looks::show_at(spot& s, std::size_t port, const pipe::chunk_base& items) {
  const auto begin = now_();
  if (begin < s.next_ns.load(std::memory_order_relaxed)) return;
  const std::unique_lock alone(s.printing, std::try_to_lock);
  if (!alone) return;
  std::vector<std::shared_ptr<sight>> waiting;
  {
    const auto hold = tried(s.listing);
    if (!hold) return;
    std::ranges::copy_if(s.sights, std::back_inserter(waiting),
                         [&](const auto& one) { return wants(*one, port); });
  }
  if (waiting.empty()) return;
  std::size_t most = 0;
  for (const auto& one : waiting) most = std::max(most, one->wanted.load(std::memory_order_relaxed));
  most = std::min({most, items.size(), s.limit.left(begin)});
  for (std::size_t i = 0; i < most; ++i) {
    const seen_item item{std::chrono::nanoseconds(begin - began_ns_), item_text(items, i)};
    s.limit.take(begin);
    for (const auto& one : waiting) give(*one, item);
  }
  const auto end = now_();
  const auto took = end - begin;
  const bool quick = took <= static_cast<std::int64_t>(most) * quick_print_ns;
  s.next_ns.store(std::max(s.limit.next(), quick ? 0 : end + rest * took), std::memory_order_relaxed);
  for (const auto& one : waiting) {
    one->changed.notify_all();
    if (one->wanted.load(std::memory_order_relaxed) > 0) continue;
    if (const auto hold = tried(s.listing)) forget(s, *one);
  }
}

bool looks::wait_in(std::size_t first, std::size_t last, std::int64_t now) const noexcept {
  for (auto i = first; i < last; ++i) {
    const auto& s = spots_[i];
    if (at(i) && now >= s.next_ns.load(std::memory_order_relaxed) &&
        now >= s.next_run_ns.load(std::memory_order_relaxed))
      return true;
  }
  return false;
}

void looks::ran(std::size_t first, std::size_t last, std::int64_t begin, std::int64_t end) noexcept {
  const auto next = end + std::min(rest * (end - begin), longest_rest_between_runs_ns);
  for (auto i = first; i < last; ++i) spots_[i].next_run_ns.store(next, std::memory_order_relaxed);
}

}  // namespace THALWEG_NAMESPACE::run_detail

namespace THALWEG_NAMESPACE {

look::look(std::shared_ptr<run_detail::sight> what, std::weak_ptr<run_detail::looks> by, std::string from,
           std::string to)
    : what_(std::move(what)), by_(std::move(by)), from_(std::move(from)), to_(std::move(to)) {}
look::look(look&&) noexcept = default;

look& look::operator=(look&& other) noexcept {
  if (this != &other) {
    close();
    what_ = std::move(other.what_);
    by_ = std::move(other.by_);
    from_ = std::move(other.from_);
    to_ = std::move(other.to_);
  }
  return *this;
}

look::~look() {
  close();
}

void look::close() noexcept {
  if (what_ == nullptr) return;
  if (const auto all = by_.lock()) all->close(*what_);
}

std::vector<seen_item> look::taken() {
  return wait_for(std::chrono::nanoseconds(0));
}

std::vector<seen_item> look::wait_for(std::chrono::nanoseconds most) {
  std::unique_lock hold(what_->mutex);
  what_->changed.wait_for(hold, std::min<std::chrono::nanoseconds>(most, run_detail::far_away),
                          [&] { return what_->over || what_->wanted.load(std::memory_order_relaxed) == 0; });
  return std::exchange(what_->items, {});
}

bool look::done() const {
  const std::lock_guard hold(what_->mutex);
  return what_->over || what_->wanted.load(std::memory_order_relaxed) == 0;
}

}  // namespace THALWEG_NAMESPACE
