// Which messages of a member's partitions have been taken, and which of these are done with.
#pragma once

#include <thalweg/net/kafka_member.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace THALWEG_NAMESPACE::net {

/// Tells, of each partition, the offset before which all messages are done with. Any thread.
struct kafka_ledger {
 public:
  using told = std::function<void(std::int32_t partition, std::int64_t offset)>;

  /// Whom to tell from now on; nobody, if it is empty. What was known of partitions is forgotten.
  /// \throws network_error  if there is somebody else
  void tell(told whom);
  void taken(std::int32_t partition, std::int64_t offset);
  void done(std::int32_t partition, std::int64_t offset);
  /// All messages before it have been taken, or are none that is taken.
  void read_up_to(std::int32_t partition, std::int64_t offset);
  /// A partition is another member's from now on.
  void forget(std::int32_t partition);

 private:
  struct pages {
    std::set<std::int64_t> open{};  // taken, and not done with
    std::int64_t next = 0;          // behind the last one that was taken
  };

  std::mutex mutex_;
  told whom_;
  std::map<std::int32_t, pages> partitions_;
};

}  // namespace THALWEG_NAMESPACE::net
