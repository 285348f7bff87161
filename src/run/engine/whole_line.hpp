#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "node.hpp"
#include "stage_runner.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

class farm;
class line_node;

/// A line of stages that may be executed as one compiled loop, by its first node, in place of all its nodes:
/// below some ten nanoseconds an item no hand-over pays. Which of the two is faster is measured, not
/// modelled: each is tried for a moment when it may be the better one, and the longer nothing is won by that
/// the longer it takes until it is tried again.
///
/// State: `mode_`, written by whoever executes the first node.
///   apart     each node is executed by itself;
///   draining  the first node takes nothing until the others have nothing to do (they notify it then);
///   whole     the first node executes the loop. Nothing is sent to the other nodes, so they stay quiet;
///             whoever notifies one of them notifies the first.
/// Invariant: an operator is called by the loop only while all its own nodes are quiet, and the order of
/// items is kept, since all of one mode have left before the first of the next.
class whole_line {
 public:
  /// `nodes`: all of them, in the order of the stream; a farm is there as its first replica.
  whole_line(graph_engine& n, line_node& head, std::vector<node*> nodes, std::vector<farm*> farms, part all);
  ~whole_line();

  [[nodiscard]] line_node& as_line() const noexcept { return head_; }
  [[nodiscard]] node& head() const noexcept;
  [[nodiscard]] bool on() const noexcept { return mode_.load(std::memory_order_acquire) == mode::whole; }
  [[nodiscard]] bool draining() const noexcept {
    return mode_.load(std::memory_order_acquire) == mode::draining;
  }
  /// All nodes but the first have nothing to do, and nothing is on its way to them.
  [[nodiscard]] bool quiet() const;

  // Whoever executes the first node.

  void begin(worker& w);
  /// While it drains: enters the loop if the others are quiet. Returns false if they are not.
  [[nodiscard]] bool enter_if_quiet(worker& w);
  /// Each node is executed by itself again.
  void leave();
  /// The same in the middle of a call that the loop has made: the loop calls nobody before that returns.
  void leave_in_call();
  /// The node other than the first that begins with this stage (its number in the plan), if what the loop
  /// still sends to it may be handed to it; null: none does. Not where stages act when time has passed: a
  /// node of which the loop is in a call could be executed.
  [[nodiscard]] node* node_at(std::size_t stage) const noexcept;
  /// Whether one begins there or later.
  [[nodiscard]] bool goes_on_behind(std::size_t stage) const noexcept;
  /// A run of so many items has been executed in `worked_ns`, and with what its source waited in `took_ns`.
  void ran(worker& w, std::size_t items, std::int64_t worked_ns, std::int64_t took_ns);

 private:
  enum class mode : std::uint8_t { apart, draining, whole };

  // What has happened since a moment.
  struct window {
    std::int64_t began = 0;      // steady clock, ns
    std::int64_t others_ns = 0;  // work of the other nodes until then
    std::int64_t own_ns = 0;
    std::int64_t took_ns = 0;
    std::size_t items = 0;
    std::size_t runs = 0;
  };

  void ran_apart();
  void ran_whole(worker& w, std::size_t items, std::int64_t worked_ns);
  void enter(worker& w);
  void expensive();
  void set(mode m) noexcept;
  void begin_window();
  [[nodiscard]] std::int64_t others_ns() const;
  [[nodiscard]] bool all_timed() const;
  void look_at_costs();

  graph_engine& net_;
  line_node& head_;
  const std::vector<node*> nodes_;
  const std::vector<farm*> farms_;
  const std::vector<part> parts_;
  const bool timed_;  // one of its stages acts when time has passed
  std::atomic<mode> mode_{mode::apart};
  std::unique_ptr<stage_runner> runner_;
  std::vector<outlet> out_;  // as the last node's
  window now_;
  std::size_t items_ = 0;  // of all time
  // What an item took: apart from one to the next, and in the loop.
  double apart_ns_ = 0, whole_ns_ = 0;
  bool tries_apart_ = false, tries_whole_ = false;
  std::int64_t next_apart_ = 0, next_whole_ = 0;  // when the other mode may be tried again
  std::int64_t wait_apart_ns_, wait_whole_ns_;
  int worth_ = 0;  // runs in a row that look as if sharing would pay
  // By the last measured runs, of an item: the source's call, and all that comes behind it.
  std::uint64_t measured_ = 0;
  double source_ns_ = 0, rest_ns_ = 0;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
