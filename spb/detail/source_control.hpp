#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace spb {
namespace detail {

class feed;
feed& common_feed();

/// How many items the queue of a source holds. Ends the process if there cannot be so many.
std::size_t room_for(int items);

/// What a source object is beside its queue: how its elements become items, its thread, and what is measured
/// of it. What is wrong with a value ends the process.
class source_control {
 public:
  /// As the options of the run ask for it.
  source_control();
  source_control(const source_control&) = delete;
  source_control& operator=(const source_control&) = delete;
  /// Ends the thread, if it still runs.
  ~source_control();

  void set_batch_size(int elements);
  void set_batch_bytes(long bytes);
  void set_batch_interval(double seconds);
  void set_frequency(double elements_per_second);
  int batch_size() const;
  double batch_interval() const;
  double frequency() const;

  /// Opens input and output, and starts the thread: `give(feed)` hands items over until there are none.
  /// `abandon()`: nobody wants them any more, so that it is to end. Once, behind `init_bench`.
  void start(std::function<void(feed&)> give, std::function<void()> abandon);
  bool started() const;
  /// Ends the process, unless it has been started: what waits for it would wait for ever.
  void require_started() const;

  /// After so many seconds without an item, and each time without one again: who waits says so, less and less
  /// often.
  enum : int { patience_s = 10 };
  void tell_waiting();

  /// From 0; -1 before it is started.
  int number() const;
  const std::string& name() const;
  void set_name(const std::string& name);

  /// Elements a second and mean milliseconds, of what has come from it to the sink: since it was started, and
  /// over the last so many seconds. 0 before, and behind the stream.
  double throughput() const;
  double throughput_of_last(double seconds);
  double latency_ms() const;
  double latency_ms_of_last(double seconds);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace detail
}  // namespace spb
