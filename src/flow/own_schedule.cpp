#include <thalweg/flow/own_schedule.hpp>

#include <atomic>

namespace THALWEG_NAMESPACE::flow {

namespace {

std::atomic<due_rate_known> who_knows_what_is_due{nullptr};

}  // namespace

void know_due_rate(due_rate_known says) noexcept {
  who_knows_what_is_due.store(says, std::memory_order_relaxed);
}

std::optional<double> own_due_rate() {
  const auto says = who_knows_what_is_due.load(std::memory_order_relaxed);
  return says != nullptr ? says() : std::nullopt;
}

}  // namespace THALWEG_NAMESPACE::flow
