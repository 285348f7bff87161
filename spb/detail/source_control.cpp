#include "spb/detail/source_control.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/observe/text.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/measurement.hpp"
#include "spb/detail/recorder.hpp"
#include "spb/detail/running_sources.hpp"
#include "spb/detail/sampler.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {
namespace {

constexpr std::int64_t period_ns = 10'000'000;
constexpr std::size_t most_samples = 12'000;

sample sample_of(std::uint16_t source) {
  const auto latency = totals::latency_sum_of(source);
  sample now;
  now.time_ns = thalweg::observe::now_ns();
  now.elements = elements_so_far_from(source);
  now.timed = latency.count;
  now.latency_ns = latency.nanoseconds;
  return now;
}

}  // namespace

std::size_t room_for(int items) {
  or_end([&] {
    if (items < 0) throw std::invalid_argument("the queue of a source cannot hold fewer than 0 items");
  });
  return static_cast<std::size_t>(items);
}

struct source_control::state {
  feed by;
  std::string name;
  std::thread thread;
  std::function<void()> abandon;
  sample first;
  std::atomic<unsigned> waited{0};
  std::mutex recent_lock;
  std::unique_ptr<memory_of_samples> recent;

  void end() {
    if (!thread.joinable()) return;
    abandon();
    thread.join();
  }
  sample since(double seconds) {
    const std::lock_guard alone(recent_lock);
    if (!recent)
      recent = std::make_unique<memory_of_samples>(period_ns, most_samples,
                                                   [source = by.source()] { return sample_of(source); });
    const auto moment = thalweg::observe::now_ns() - static_cast<std::int64_t>(seconds * 1e9);
    const auto found = recent->at_or_before(moment);
    return found.time_ns <= moment ? found : first;
  }
  [[nodiscard]] bool measured() const { return by.source() != 0 && measurement::running(); }
};

source_control::source_control() : state_(std::make_unique<state>()) {
  state_->by.set_as(common_feed());
}

source_control::~source_control() {
  running_sources::remove(this);
  state_->end();
}

void source_control::set_batch_size(int elements) {
  or_end([&] {
    if (elements < 0) throw std::invalid_argument("a batch cannot have fewer than 0 elements");
    state_->by.set_batch_size(static_cast<std::uint64_t>(elements));
  });
}
void source_control::set_batch_bytes(long bytes) {
  or_end([&] {
    if (bytes < 0) throw std::invalid_argument("a batch cannot have fewer than 0 bytes");
    state_->by.set_batch_bytes(static_cast<std::uint64_t>(bytes));
  });
}
void source_control::set_batch_interval(double seconds) {
  or_end([&] { state_->by.set_batch_interval(seconds); });
}
void source_control::set_frequency(double elements_per_second) {
  or_end([&] {
    if (elements_per_second == 0)
      state_->by.clear_frequency();
    else
      state_->by.set_frequency(make_constant(elements_per_second));
  });
}
int source_control::batch_size() const {
  return static_cast<int>(state_->by.batch_size());
}
double source_control::batch_interval() const {
  return static_cast<double>(state_->by.interval_ns()) * 1e-9;
}
double source_control::frequency() const {
  return state_->by.frequency();
}

void source_control::start(std::function<void(feed&)> give, std::function<void()> abandon) {
  or_end([&] {
    auto& now = *state_;
    const auto input = begin_source(now.by);
    if (now.name.empty()) now.name = input;
    now.abandon = std::move(abandon);
    now.first = sample_of(now.by.source());
    running_sources::add(this, [&now] { now.end(); });
    now.thread = std::thread([&now, give = std::move(give)] {
      mine().is_of_source(now.by.source());
      give(now.by);
    });
  });
}
bool source_control::started() const {
  return state_->by.source() != 0;
}
void source_control::require_started() const {
  or_end([&] {
    if (!started())
      throw std::logic_error(
          "a source is asked for its items that has not been started: call its init() before");
  });
}

void source_control::tell_waiting() {
  const auto waited = ++state_->waited;
  if (!std::has_single_bit(waited)) return;
  const auto rate = frequency();
  remark("source " + std::to_string(number() + 1) + ", " + name() + ", has given no item for " +
         std::to_string(waited * patience_s) + " s" +
         (rate > 0 ? "; its frequency is " + thalweg::observe::rate_text(rate) : std::string()));
}

int source_control::number() const {
  return state_->by.source() - 1;
}
const std::string& source_control::name() const {
  return state_->name;
}
void source_control::set_name(const std::string& name) {
  state_->name = name;
}

double source_control::throughput() const {
  return state_->measured() ? rate_between(state_->first, sample_of(state_->by.source())) : 0;
}
double source_control::throughput_of_last(double seconds) {
  if (!state_->measured()) return 0;
  const auto from = state_->since(seconds);
  return rate_between(from, sample_of(state_->by.source()));
}
double source_control::latency_ms() const {
  latency_wanted = true;
  return state_->measured() ? mean_latency_ms(state_->first, sample_of(state_->by.source())) : 0;
}
double source_control::latency_ms_of_last(double seconds) {
  latency_wanted = true;
  if (!state_->measured()) return 0;
  const auto from = state_->since(seconds);
  return mean_latency_ms(from, sample_of(state_->by.source()));
}

}  // namespace spb::detail
