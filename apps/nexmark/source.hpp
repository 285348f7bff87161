#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/nexmark/generator.hpp"
#include "apps/support/input_held.hpp"

namespace apps::nexmark {

/// Gives the events of a workload by their numbers, from which `generator::make` makes them; those that are
/// held in memory have been made already.
class source {
 public:
  source(const std::shared_ptr<const generator>& house, input_held held) : events_(house->of().events) {
    if (held == input_held::on_disk) return;
    made_.reserve(events_);
    for (std::uint64_t number = 0; number < events_; ++number) made_.push_back(house->event_at(number));
  }
  /// The next event; nothing behind the last.
  std::optional<event> operator()() {
    if (next_ == events_) return std::nullopt;
    const auto number = next_++;
    if (!made_.empty()) return std::move(made_[number]);
    event numbered;
    numbered.number = number;
    return numbered;
  }

 private:
  std::uint64_t events_;
  std::uint64_t next_ = 0;
  std::vector<event> made_;
};

}  // namespace apps::nexmark
