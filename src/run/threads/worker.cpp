#include "worker.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>
#include <chrono>

#include "agent.hpp"

namespace thalweg::run_detail::dedicated {

namespace {

// How long a thread with nothing to do looks quietly, before it asks for half-filled chunks: so that one
// which is faster than those upstream gets its items in runs all the same.
constexpr std::chrono::nanoseconds breath{1'000};

}  // namespace

std::pair<std::size_t, std::size_t> worker::stages() const noexcept {
  return {agents_.front()->stages().first, agents_.back()->stages().second};
}

void worker::work(thread_log& log) {
  log_ = &log;
  for (auto* a : agents_) a->begin(log);
  const auto all_ended = [this] {
    return std::all_of(agents_.begin(), agents_.end(), [](const agent* a) { return a->ended(); });
  };
  while (!run_.cancelled.load(std::memory_order_relaxed)) {
    if (run_one(0)) {
      if (all_ended()) return;
      continue;
    }
    const auto begin = observe::now_ns();
    sleep(0, [] { return false; });
    const auto took = observe::now_ns() - begin;
    for (auto* a : agents_) a->idled(took);
  }
}

// Those further down first: they make room.
bool worker::run_one(std::size_t from) {
  for (auto i = agents_.size(); i-- > from;) {
    if (!agents_[i]->ended() && agents_[i]->ready()) {
      agents_[i]->step();
      return true;
    }
  }
  return false;
}

void worker::wait_until(const agent& who, const std::function<bool()>& ready) {
  const auto from =
      static_cast<std::size_t>(std::find(agents_.begin(), agents_.end(), &who) - agents_.begin()) + 1;
  while (!ready()) {
    if (run_.cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
    if (!run_one(from)) sleep(from, ready);
  }
  if (run_.cancelled.load(std::memory_order_acquire)) throw thalweg::cancelled{};
}

template <class Ready> void worker::sleep(std::size_t from, Ready&& ready) {
  const auto each = [&](auto&& f) {
    bool any = false;
    for (auto i = from; i < agents_.size(); ++i) {
      if (!agents_[i]->ended()) any = f(*agents_[i]) || any;
    }
    return any;
  };
  const auto look = [&] {
    return run_.cancelled.load(std::memory_order_acquire) || ready() ||
           each([](agent& a) { return a.ready(); });
  };
  if (pipe::spin_until(look, breath)) return;
  std::int64_t deadline = bell::never;
  each([&](const agent& a) {
    deadline = std::min(deadline, a.deadline());
    return false;
  });
  const auto slept = bell_.wait(
      [&] { return each([](agent& a) { return a.input() != nullptr && a.input()->announce(); }); },
      [&] { return look() || each([](agent& a) { return a.input() != nullptr && a.input()->steal(); }); },
      look, deadline);
  each([](agent& a) {
    if (a.input() != nullptr) a.input()->retract();
    return false;
  });
  log_->work.idle_ns.add_ns(slept.ns);
  log_->work.parks.add(static_cast<std::uint64_t>(slept.times));
}

}  // namespace thalweg::run_detail::dedicated
