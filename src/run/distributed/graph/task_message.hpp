#pragma once

#include <thalweg/model/key_part.hpp>
#include <thalweg/model/wire.hpp>
#include <thalweg/pipe/chunk.hpp>
#include <thalweg/pipe/spinlock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../../engine/channel.hpp"

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// What the ranks of a farm with a coordinator tell each other: a task, which is a run of items or a move of
/// keys, or an answer.
struct task_message {
  enum class kind : std::uint8_t {
    work,    ///< a run of items
    give,    ///< asks for the keys of a part, which go to another rank; the answer has them
    expect,  ///< keys come to this rank: what is to do for them waits
    take,    ///< the keys have come
    ends     ///< the end hooks
  };
  struct header {
    std::int64_t number = 0;  ///< of the run; where keys move: of their part; at the end: of the stage
    /// The order rank of the first item of the run, on whichever rank that is worked on. Where keys move: the
    /// number of the part on this rank.
    std::int64_t first = 0;
    std::int64_t position = 0, born_ns = 0;
    std::uint32_t parts = 0;  ///< how many there are, or have been, where the run is worked on
    std::uint32_t items = 0;  ///< of the run, on all ranks
    bool paced = false;
    kind what = kind::work;
    bool more = false;  ///< of the keys of the part follow
    // Of an answer.
    std::int64_t worked_ns = 0;
    std::int64_t window = std::numeric_limits<std::int64_t>::max();  ///< at what time the next window ends
    std::int64_t timer_in =
        std::numeric_limits<std::int64_t>::max();  ///< in how many ns the next timer is due
  };
  header head;
  chunk_ptr items;                   ///< or results; null: none
  std::vector<std::uint32_t> index;  ///< of each: its place in the run, or among `places`
  std::vector<std::uint8_t> who;     ///< the part of each item
  std::vector<model::moment> moments;
  std::vector<pipe::mark> marks;
  std::vector<model::key_part::place> places;
  chunk_ptr late;  ///< with ranks
  chunk_ptr keys;  ///< and what belongs to them
};

/// How task messages travel with items, late items and keys of these types.
class task_message_wire final : public model::wire {
 public:
  /// Each may be null: there are none.
  task_message_wire(chunk_ptr items, chunk_ptr late, chunk_ptr keys);

  [[nodiscard]] std::string tag() const override;
  void write(byte_writer& to, pipe::chunk_base& items) const override;
  void read(byte_reader& from, std::size_t n, pipe::chunk_base& into) const override;
  [[nodiscard]] std::size_t count(const pipe::chunk_base& items) const override;

  /// An empty run of items.
  [[nodiscard]] chunk_ptr new_items() const { return items_.like->sibling(); }

 private:
  struct chunk_codec {
    chunk_ptr like;
    const model::wire* how;
    explicit chunk_codec(chunk_ptr c);
    void write(byte_writer& to, const chunk_ptr& c) const;
    void read(byte_reader& from, chunk_ptr& c) const;
  };
  const chunk_codec items_, late_, keys_;
};

/// The times in it, which are those of another clock, become those of this rank's. Those of windows are the
/// coordinator's everywhere.
void shift_times(task_message& task, std::int64_t by);

/// The only message in a chunk of them, and the chunk of one.
[[nodiscard]] task_message take_task_message(pipe::chunk_base& from);
[[nodiscard]] chunk_ptr chunk_of(task_message task);
[[nodiscard]] chunk_ptr no_task_messages();

/// What other ranks have sent, until the node takes it.
class inbox {
 public:
  void put(int from, task_message task);
  /// False: there is none.
  [[nodiscard]] bool take(int& from, task_message& task);
  [[nodiscard]] bool empty() const;

 private:
  struct received {
    int from;
    task_message what;
  };
  mutable pipe::spinlock lock_;
  std::deque<received> waiting_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
