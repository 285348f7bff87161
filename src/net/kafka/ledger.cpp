#include "ledger.hpp"

#include <utility>

namespace THALWEG_NAMESPACE {

namespace net {

void kafka_ledger::tell(told whom) {
  const std::lock_guard held(mutex_);
  if (whom && whom_) throw network_error("a kafka_progress can serve only one source at a time");
  whom_ = std::move(whom);
  partitions_.clear();
}

void kafka_ledger::taken(std::int32_t partition, std::int64_t offset) {
  const std::lock_guard held(mutex_);
  auto& one = partitions_[partition];
  one.open.insert(offset);
  one.next = offset + 1;
}

void kafka_ledger::done(std::int32_t partition, std::int64_t offset) {
  const std::lock_guard held(mutex_);
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return;
  auto& [open, next] = found->second;
  const bool first = !open.empty() && *open.begin() == offset;
  if (open.erase(offset) == 0 || !first) return;
  if (whom_) whom_(partition, open.empty() ? next : *open.begin());
}

void kafka_ledger::read_up_to(std::int32_t partition, std::int64_t offset) {
  const std::lock_guard held(mutex_);
  auto& [open, next] = partitions_[partition];
  next = offset;
  if (open.empty() && whom_) whom_(partition, next);
}

void kafka_ledger::forget(std::int32_t partition) {
  const std::lock_guard held(mutex_);
  partitions_.erase(partition);
}

}  // namespace net

kafka_progress::kafka_progress() : ledger_(std::make_shared<net::kafka_ledger>()) {}

void kafka_progress::operator()(std::int32_t partition, std::int64_t offset) const {
  ledger_->done(partition, offset);
}

std::string kafka_group::problem(const kafka_start& start, std::optional<kafka_end> end,
                                 kafka_broken broken) const {
  if (!*this) return {};
  if (name.empty()) return "a consumer group has no name";
  const auto group = "the group '" + name + "'";
  if (start.at != kafka_start::where::first && start.at != kafka_start::where::next)
    return group +
           " goes on where it left off: .start can only be first or next, for a group without a position";
  if (end == kafka_end::mark)
    return "a member of " + group +
           " does not get a whole stream, so it cannot find its end: .end must be never or last";
  if (broken != kafka_broken::error) return group + " takes messages of any stream, so .broken does nothing";
  return {};
}

}  // namespace THALWEG_NAMESPACE
