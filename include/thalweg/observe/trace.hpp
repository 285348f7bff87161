// Records what ran when, for Perfetto (https://ui.perfetto.dev) and chrome://tracing.
//
// The file is JSON in the Trace Event Format: a complete event ("X") for each run of items a stage worked on,
// a counter ("C") for each level, an instant ("i") for each mark, and the names of threads as metadata ("M").
#pragma once

#include <thalweg/version.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::observe {

class json_writer;

/// The trace of one run. Code that traces asks for a recorder, and gets null when nothing is traced: then it
/// costs only predictable branches.
///
/// Threads are numbered from 0; each number is used by one thread at a time. Recording takes no lock: a
/// thread writes to its own memory, which grows on demand up to `events_per_thread`. Later events are dropped
/// and counted, so a trace shows the start of a long run and says that it is cut. Writing the trace is
/// allowed at any time, from any thread; it holds what was recorded before.
///
/// Times are those of `now_ns()`; in the file they count from the first one recorded.
///
/// A recorder can record several times, one after the other: `restart` forgets what there is. Threads need
/// not know: one that is in the middle of recording meanwhile either still adds to what is forgotten, or to
/// what is new if it belongs there.
///
/// ```cpp
/// #include <thalweg/observe/trace.hpp>
/// tw::observe::trace_recorder trace({"read", "compress"});
/// trace.name_thread(0, "worker 0");
/// trace.record(0, 1, 5'000, 9'000, 64, 3);  // 64 items in "compress"
/// trace.level(0, 1, 9'000, 12);             // 12 more wait
/// assert(trace.recorded() == 2 && trace.dropped() == 0);
/// assert(trace.to_json().find("\"compress\"") != std::string::npos);
/// ```
class trace_recorder {
 public:
  static constexpr std::size_t most_threads = 4096;

  /// `stages` are the names that stage numbers stand for.
  explicit trace_recorder(std::vector<std::string> stages,
                          std::size_t events_per_thread = std::size_t{1} << 18);
  ~trace_recorder();
  trace_recorder(const trace_recorder&) = delete;
  trace_recorder& operator=(const trace_recorder&) = delete;

  /// The name under which a thread is shown; `thread 3` without. Takes a lock.
  void name_thread(std::size_t thread, std::string name);
  /// What the others are called, with their number behind it: `worker ` instead of `thread `.
  void name_threads(std::string kind);
  /// Says in the trace what it holds, where that is not all of a run.
  void note_scope(std::string what);

  /// Forgets all events and marks. From now on it keeps what ends at `from_ns` or later, at most
  /// `events_per_thread` events of a thread and never more than the constructor was told; times count from
  /// `from_ns`, and what began earlier is shown from then on. If a trace is being written, this waits for it.
  void restart(std::int64_t from_ns, std::size_t events_per_thread);

  /// Stage `stage` worked on `items` items from `start_ns` to `end_ns`; `sequence` tells which run of items
  /// it was. With `stages` above 1, it and the following ones did so as one loop: the event has all their
  /// names.
  void record(std::size_t thread, std::size_t stage, std::int64_t start_ns, std::int64_t end_ns,
              std::uint64_t items, std::uint64_t sequence, std::size_t stages = 1) noexcept {
    append(thread, {start_ns, end_ns - start_ns, items, sequence, static_cast<std::uint32_t>(stage),
                    static_cast<std::uint32_t>(stages)});
  }

  /// Stage `stage`, and the following ones if `stages` is above 1, begin to work at `start_ns`. Until `ends`
  /// they are running, which the trace shows if it is asked to. What a thread begins later ends earlier.
  /// Returns what `ends` has to be told; -1 if that is not kept, since too many are within each other.
  int begins(std::size_t thread, std::size_t stage, std::int64_t start_ns, std::size_t stages = 1) noexcept;
  void ends(std::size_t thread, int begun) noexcept;

  /// `value` items wait in front of `stage`.
  void level(std::size_t thread, std::size_t stage, std::int64_t at_ns, std::uint64_t value) noexcept {
    append(thread, {at_ns, 0, value, 0, static_cast<std::uint32_t>(stage), 0});
  }

  /// Something worth a flag at `stage`: an error, a resize. For rare events: it copies the text and takes a
  /// lock. At most `events_per_thread` of them are kept.
  void mark(std::size_t stage, std::int64_t at_ns, std::string_view text);

  /// How many events were kept, and how many were dropped.
  std::uint64_t recorded() const;
  std::uint64_t dropped() const;

  // In a run in several processes, one writes the trace of all.

  /// Which process this is, from 0, and the name under which it is shown. Times count from `origin_ns`, which
  /// must be the same moment on all: before the first event of any.
  void as_process(int number, std::string name, std::int64_t origin_ns);
  /// The events so far, as text for another process's `add_events`.
  std::string events() const;
  /// The events of another process, and how many it has dropped.
  void add_events(std::string events, std::uint64_t dropped);

  /// What of the trace is shown.
  struct part {
    std::int64_t after_ns = std::numeric_limits<std::int64_t>::min();  ///< what ended later than that
    std::size_t most = std::numeric_limits<std::size_t>::max();        ///< the last ones of each thread
    /// What is running is shown too, until then: `args` has `"running": true`. 0: it is not.
    std::int64_t now_ns = 0;
  };

  /// The trace as text. `write` puts the same into a file, piece by piece, and throws `std::system_error`,
  /// whose text names the file, if it cannot.
  std::string to_json() const { return to_json({}); }
  std::string to_json(const part& shown) const;
  void write(const std::string& path) const;

 private:
  struct event {
    std::int64_t start;
    std::int64_t duration;
    std::uint64_t items;
    std::uint64_t sequence;
    std::uint32_t stage;
    std::uint32_t stages;  // that ran as one loop; 0: a level
  };
  struct running {
    std::int64_t start = 0;
    std::uint32_t stage = 0;
    std::uint32_t stages = 0;  // 0: nothing
  };
  struct mark_event {
    std::size_t stage;
    std::int64_t at;
    std::string text;
  };
  class lane;

  void append(std::size_t thread, const event& e) noexcept;
  // The lane of a thread, as that thread uses it; null: there is none.
  lane* lane_of(std::size_t thread) noexcept;
  lane* open_lane(std::size_t thread) noexcept;
  // Those that belong to what is recorded now, by thread. Under the lock.
  [[nodiscard]] std::vector<const lane*> lanes_now() const;
  template <class Sink> void generate(const part& shown, Sink&& sink) const;
  template <class Sink>
  void generate_events(json_writer& json, std::string& text, const part& shown, Sink&& sink) const;
  [[nodiscard]] std::int64_t origin() const;
  [[nodiscard]] std::uint64_t all_dropped() const;

  std::vector<std::string> stages_;
  const std::size_t most_per_thread_;
  // Set before `recording_`, the number of the recording that goes on.
  std::atomic<std::size_t> events_per_thread_;
  std::atomic<std::int64_t> from_{std::numeric_limits<std::int64_t>::min()};
  std::atomic<std::uint32_t> recording_{1};
  std::array<std::atomic<lane*>, most_threads> lanes_{};  // found without a lock; owned by owned_
  std::atomic<std::uint64_t> lost_{0};                    // of threads that have no lane, and marks
  mutable std::mutex mutex_;                              // guards what follows
  std::deque<std::unique_ptr<lane>> owned_;
  std::vector<std::string> thread_names_;
  std::string kind_of_thread_ = "thread ";
  std::string scope_;
  std::vector<mark_event> marks_;
  int process_ = 0;
  std::string process_name_ = "thalweg";
  std::optional<std::int64_t> origin_;
  std::vector<std::string> events_elsewhere_;
  std::uint64_t dropped_elsewhere_ = 0;
};

}  // namespace THALWEG_NAMESPACE::observe
