// The stream programs that every contender runs, and the plain loop that says what they mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clock.hpp"
#include "work.hpp"

namespace micro {

/// A source of the integers (first, last]: never zero, which some peers reserve.
class counter {
 public:
  counter(std::uint64_t first, std::uint64_t last) : next_(first), last_(last) {}

  std::optional<std::uint64_t> operator()() noexcept {
    if (next_ == last_) return std::nullopt;
    return ++next_;
  }

 private:
  std::uint64_t next_;
  std::uint64_t last_;
};

/// A sink that folds what it is given, in order, into one number: two runs agree only when the same items
/// came in the same order. Sums of consecutive parts can be joined, so that threads may each fold their
/// share.
class checksum {
 public:
  void operator()(std::uint64_t value) noexcept {
    sum_ = sum_ * factor + value;
    shift_ *= factor;
  }

  void join(const checksum& next) noexcept {
    sum_ = sum_ * next.shift_ + next.sum_;
    shift_ *= next.shift_;
  }

  std::uint64_t value() const noexcept { return sum_; }

 private:
  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t sum_ = 0;
  std::uint64_t shift_ = 1;  // factor to the power of the items seen
};

/// source | farm(work) | sink, as a plain loop.
template <class Source, class Work, class Sink> void run_loop(Source& source, const Work& work, Sink& sink) {
  while (auto item = source()) sink(work(*std::move(item)));
}

/// source | farm(work) | sink over `items` integers.
template <class Work> struct farm_program {
  std::uint64_t items = 0;
  Work work;
};

using even_farm = farm_program<even_work>;
using uneven_farm = farm_program<uneven_work>;

/// The stage in the middle of `sandwich_program`: it sees the items in order, one at a time, and its result
/// depends on all of them so far, so no other order and no replica can give it.
class running_sum {
 public:
  explicit running_sum(even_work work) : work_(work) {}

  std::uint64_t operator()(std::uint64_t x) noexcept {
    sum_ += work_(x);
    return x ^ (sum_ | 1);
  }

 private:
  even_work work_;
  std::uint64_t sum_ = 0;
};

/// source | farm(first) | map(middle) | farm(second) | sink: a serial stage between two farms.
struct sandwich_program {
  std::uint64_t items = 0;
  even_work first;
  even_work middle;
  even_work second;
};

/// The stages of `sandwich_program` in one, as far as work goes: what a farm would do if nothing stood in the
/// middle.
struct fused_work {
  even_work first;
  even_work middle;
  even_work second;

  std::uint64_t operator()(std::uint64_t x) const noexcept { return second(middle(first(x))); }
};

using fused_farm = farm_program<fused_work>;

/// An item that knows the moment from which its latency counts.
struct stamped {
  std::uint64_t value = 0;
  nanos since = 0;
};

/// The work of a timed item.
struct stamped_work {
  even_work work;

  stamped operator()(stamped item) const noexcept {
    item.value = work(item.value);
    return item;
  }
};

/// The times at which items came out of a run.
struct arrivals {
  std::vector<nanos> latency;

  void expect(std::uint64_t items) {
    latency.clear();
    latency.reserve(items);
  }
};

/// An open-loop source: item i is due at start + i * interval whatever became of those before; an item that
/// could not leave in time leaves as soon as it is asked for and its latency still counts from the due time.
class open_loop {
 public:
  open_loop(std::uint64_t items, double interval, pacing how)
      : items_(items), interval_(interval), how_(how) {}

  std::optional<stamped> operator()() noexcept {
    if (sent_ == items_) return std::nullopt;
    if (sent_ == 0) start_ = now() + lead;
    const nanos due = start_ + static_cast<nanos>(interval_ * static_cast<double>(sent_));
    wait_until(due, how_);
    return stamped{++sent_, due};
  }

  double interval() const noexcept { return interval_; }

 private:
  static constexpr nanos lead = 2'000'000;  // the engine under test has started when the first item is due
  std::uint64_t items_;
  double interval_;
  pacing how_;
  std::uint64_t sent_ = 0;
  nanos start_ = 0;
};

/// A source that gives bursts as fast as it is asked and then stalls: latency counts from the moment an item
/// left it.
class stalling {
 public:
  stalling(std::uint64_t items, std::uint64_t burst, nanos stall)
      : items_(items), burst_(burst), stall_(stall) {}

  std::optional<stamped> operator()() noexcept {
    if (sent_ % burst_ == 0 && sent_ != 0)
      sleep_until(now() + stall_);  // before the end too: nothing may wait for it
    if (sent_ == items_) return std::nullopt;
    return stamped{++sent_, now()};
  }

 private:
  std::uint64_t items_;
  std::uint64_t burst_;
  nanos stall_;
  std::uint64_t sent_ = 0;
};

/// The sink of timed items.
class arrival_sink {
 public:
  explicit arrival_sink(arrivals& into) : into_(&into) {}

  void operator()(const stamped& item) {
    into_->latency.push_back(now() - item.since);
    sum_(item.value);
  }

  std::uint64_t value() const noexcept { return sum_.value(); }

 private:
  arrivals* into_;  // outlives the run
  checksum sum_;
};

/// source | farm(work) | sink with a source that keeps time; the arrivals of the latest run are left in
/// `seen`.
template <class Source> struct timed_program {
  Source source;
  stamped_work work;
  std::uint64_t items = 0;
  std::shared_ptr<arrivals> seen = std::make_shared<arrivals>();
};

using paced_program = timed_program<open_loop>;
using stalling_program = timed_program<stalling>;

/// A big item, such as a picture of a film.
using frame = std::vector<std::uint64_t>;

/// Makes frames that differ, on memory of their own that is really touched.
class camera {
 public:
  camera(std::uint64_t frames, std::size_t bytes) : frames_(frames), bytes_(bytes) {}

  std::optional<frame> operator()() {
    if (sent_ == frames_) return std::nullopt;
    return frame(bytes_ / sizeof(frame::value_type), ++sent_);
  }

 private:
  std::uint64_t frames_;
  std::size_t bytes_;
  std::uint64_t sent_ = 0;
};

/// The work on a frame: cheap, and in place.
struct frame_work {
  frame operator()(frame picture) const {
    picture.front() = burn(picture.front(), 1);
    return picture;
  }
};

/// A sink that cannot keep up with the camera.
class slow_sink {
 public:
  explicit slow_sink(nanos per_frame) : per_frame_(per_frame) {}

  void operator()(const frame& picture) {
    sleep_until(now() + per_frame_);
    sum_(picture.front());
  }

  std::uint64_t value() const noexcept { return sum_.value(); }

 private:
  nanos per_frame_;
  checksum sum_;
};

/// source | farm(work) | sink over big frames with a slow sink.
struct frame_program {
  std::uint64_t items = 0;
  std::size_t bytes = 0;
  nanos per_frame = 0;  ///< What the sink takes.
};

}  // namespace micro
