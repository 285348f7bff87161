/// A member of a Kafka consumer group: the receiving end of some partitions of a topic.
#pragma once

#include <thalweg/net/kafka_inlet.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE {

namespace net {
struct kafka_ledger;
class kafka_member;
}  // namespace net

/// Which messages of a `kafka_source` in a group are done: the group goes on with the first message that is
/// not, so that none is lost when a process ends, but some can come again. Copies are the same. Any thread.
///
/// ```c++
/// const tw::kafka_progress done;
/// tw::run(tw::kafka_source<tw::kafka_message<order>>(orders, {.group = {"billing", done}}) |
/// tw::farm(charge) |
///         tw::sink([&](const tw::kafka_message<order>& one) { store(one), done(one); }));
/// ```
class kafka_progress {
 public:
  kafka_progress();

  /// A message is done, with any result. Messages may be done in any order: the group goes on with the first
  /// one that is not. An unknown message, whose partition has gone to another member, is ignored.
  void operator()(std::int32_t partition, std::int64_t offset) const;
  template <class Message>
    requires requires(const Message& one) { one.partition, one.offset; }
  void operator()(const Message& one) const {
    (*this)(one.partition, one.offset);
  }

 private:
  friend class net::kafka_member;
  std::shared_ptr<net::kafka_ledger> ledger_;
};

/// A consumer group, and how it learns which messages are done: `{.group = {"billing", done}}`.
struct kafka_group {
  std::string name{};
  /// Without it, a message is done when the stream asks for the next one, or ends.
  std::optional<kafka_progress> progress{};

  kafka_group() = default;
  /// A message is done when `its` says so. A `kafka_progress` serves one source at a time.
  kafka_group(std::string group, kafka_progress its) : name(std::move(group)), progress(std::move(its)) {}
  /// A message is done when the stream has taken it, as with librdkafka's `enable.auto.commit`: what is on
  /// its way through a run that fails, or whose process ends, does not come again.
  static kafka_group when_taken(std::string group) {
    kafka_group made;
    made.name = std::move(group);
    return made;
  }

  explicit operator bool() const { return !name.empty() || progress; }
  /// Which of a source's options a member of a group cannot have; empty if it can have all.
  [[nodiscard]] std::string problem(const kafka_start& start, std::optional<kafka_end> end,
                                    kafka_broken broken) const;
};

namespace net {

/// Takes the messages of the partitions that the group assigns to it, while members come and go. Those of a
/// partition come in their order. The marks where Thalweg's streams begin and end are ignored. It tells the
/// broker every few seconds (`auto.commit.interval.ms`), and at the end, which messages are done.
class kafka_member final : public kafka_incoming {
 public:
  /// `how.start`: where a group without a position begins. \throws network_error  if the topic or a setting
  /// is invalid
  kafka_member(kafka_topic from, kafka_group group, kafka_inlet_options how);
  /// Leaves the group.
  ~kafka_member() override;

  bool await_sender() override;
  [[nodiscard]] const std::string& name() const noexcept override;
  [[nodiscard]] const std::string& tag() const noexcept override;
  [[nodiscard]] sender_clock clock() const noexcept override;
  /// \throws network_error  if no broker can be reached, or there is no such topic
  std::optional<std::span<const std::byte>> next() override;
  bool ready_by(std::int64_t until_ns) override;
  void passed_over() override;
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] kafka_place where() const override;
  [[nodiscard]] bool ended() const noexcept override;

  /// Leaves the group, unless the user may still say that messages are done.
  void close(std::string_view why) override;
  void interrupt() noexcept override;
  void interrupt_on(const std::stop_token& stop) override;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace net
}  // namespace THALWEG_NAMESPACE
