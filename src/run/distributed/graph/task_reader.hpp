#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "task_message.hpp"

/// What of all that comes from other ranks can be a message between a farm's coordinator and a rank that
/// works for it. They know what was said before, so that an answer to a question that nobody has asked is
/// none.
namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// Tells the tasks that may come to a rank from messages that are none.
///
/// State: of each part whether its keys are here, how many runs of items have come, how far time has, and
/// whether the end has.
/// Written by: one thread at a time, as it receives.
/// Invariant: who acts on a task that has been read finds each part and each item that it names, and a place
/// for its run; its numbers are such that they can be added up.
class task_reader {
 public:
  struct rules {
    std::size_t parts = 1, most = 1;  ///< of this rank: as the run begins, and ever
    std::int64_t runs = 1;            ///< of items, that may wait for their answers
    bool keyed = false;
    bool moves = false;        ///< keys can come here from another rank, and go there
    bool watermarked = false;  ///< results depend on time
  };
  explicit task_reader(const rules& of);

  /// The task in a run of items. None: one could not be read, so the run fails. `answered`: so many runs of
  /// items. \throws codec_error  if it is none that may come
  [[nodiscard]] std::optional<task_message> read(pipe::chunk_base& from, std::int64_t answered);

 private:
  enum class keys : std::uint8_t { elsewhere, expected, here };

  void check(const task_message& task, std::int64_t answered);
  void check_run(const task_message& task);
  void check_times(const task_message& task);
  void change(const task_message::header& head, keys before, keys after);

  const rules rules_;
  std::vector<keys> parts_;
  std::int64_t runs_ = 0;
  std::int64_t watermark_ = model::stream_clock::unknown;
  bool ended_ = false, lost_ = false;
};

/// Tells the answers that may come from a rank from messages that are none.
///
/// State: what the coordinator has asked of that rank and not been answered.
/// Written by: the coordinator asks, one thread at a time; another thread receives. Both under the lock.
/// Invariant: who acts on an answer that has been read finds the run of items, the part or the stage that it
/// is about, and the places in the run that it names; its numbers are such that they can be added up.
class answer_reader {
 public:
  /// The farm has the stages [first, last).
  answer_reader(std::size_t first, std::size_t last, bool watermarked)
      : next_end_(first), last_(last), watermarked_(watermarked) {}

  /// Before the task is sent.
  void asked(const task_message::header& task);
  /// The answer in a run of items. None: one could not be read, so the run fails.
  /// \throws codec_error  if it is none that may come
  [[nodiscard]] std::optional<task_message> read(pipe::chunk_base& from);

 private:
  void check(const task_message& answer);
  void check_run(const task_message& answer);

  pipe::spinlock lock_;
  std::deque<task_message::header> runs_;     // of items
  std::deque<task_message::header> leaving_;  // parts
  std::size_t next_end_;                      // the stage whose end hook is to answer next
  const std::size_t last_;
  const bool watermarked_;
  bool ending_ = false, lost_ = false;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
