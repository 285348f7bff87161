#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "spb/detail/source_control.hpp"
#include "spb/shared_queue.hpp"

namespace spb {

/// A source as an object, of which a program may have several. Each has an input and an output for itself:
/// the first one those of `Source::op`, each other the next `-input`, and again the first behind the last.
/// Each has a thread that takes items from its input, a bounded queue of them, and batches and a frequency of
/// its own. An item's `sourceId` tells where it comes from, and to which output the sink writes it.
/// `batch_index` is its place among the items of all sources: a `SharedQueue` in the order of items keeps
/// that of each of them.
///
/// ```cpp
/// spb::Source runs(2, 0, 1, 100);  // starts at once
/// spb::Source waits;
/// waits.setBatchSize(10);
/// waits.init();
/// while (!(runs.depleted() && waits.depleted())) {
///   spb::Item one = runs.getItem(), other = waits.getItem();
///   ...
/// }
/// ```
///
/// Starting them is for one thread; all else is for any. Behind `init_bench`; unless `Metrics::init` came
/// before, the measurement begins with the first of them.
template <class Self, class Item> class SourceObject {
 public:
  /// Batches and a frequency as the options of the run ask for them, and a queue of 64 items.
  SourceObject() : queue_(64) {}
  /// Elements of an item (0: as many as come within the interval), seconds until an item is closed (0: when
  /// it is full), items that the queue holds (0: any number), elements a second (0: as they can be had).
  /// Starts at once. What is wrong with a value ends the process, here and below.
  SourceObject(int batch, double interval, int queue, double frequency) : queue_(1) {
    setBatchSize(batch);
    setBatchInterval(interval);
    setQueueMaxSize(queue);
    setFrequency(frequency);
    init();
  }
  SourceObject(const SourceObject&) = delete;
  SourceObject& operator=(const SourceObject&) = delete;

  void setBatchSize(int elements) { control_.set_batch_size(elements); }
  void setBatchBytes(long bytes) { control_.set_batch_bytes(bytes); }
  void setBatchInterval(double seconds) { control_.set_batch_interval(seconds); }
  void setFrequency(double elements_per_second) { control_.set_frequency(elements_per_second); }
  /// What the queue holds already stays there.
  void setQueueMaxSize(int items) { queue_.set_capacity(detail::room_for(items)); }
  int getBatchSize() const { return control_.batch_size(); }
  double getBatchInterval() const { return control_.batch_interval(); }
  double getFrequency() const { return control_.frequency(); }

  /// That of the input, as far as it is not given another one.
  const std::string& getSourceName() const { return control_.name(); }
  void setSourceName(const std::string& name) { control_.set_name(name); }
  /// From 0, as the `sourceId` of items.
  int getSourceId() const { return control_.number(); }

  /// Starts the thread. Does nothing where it runs already.
  void init() {
    if (control_.started()) return;
    control_.start(
        [this](detail::feed& by) {
          for (Item item; Self::take(by, item);) queue_.enqueue(std::move(item));
          queue_.close();
        },
        [this] { queue_.abandon(); });
  }

  /// Waits for the next item; false at the end, and before `init`.
  bool getItem(Item& item) { return control_.started() && queue_.dequeue(item); }
  /// Likewise; an empty item at the end.
  Item getItem() {
    Item item;
    if (!getItem(item)) item.clear();
    return item;
  }
  /// Whether all items have been got. Waits until that is known: for an item, or for the end. Before `init`
  /// that would be for ever, and ends the process; what takes long is told on standard error.
  bool depleted() {
    control_.require_started();
    while (!queue_.knows_end_within(std::chrono::seconds(detail::source_control::patience_s)))
      control_.tell_waiting();
    return queue_.at_end();
  }

  /// Elements a second, and milliseconds on the way, of what has come from here to the sink: over the last so
  /// many seconds, and since the start. From the first call on samples are taken; see `Metrics`.
  double getInstantThroughput(double seconds) { return control_.throughput_of_last(seconds); }
  double getAverageThroughput() const { return control_.throughput(); }
  double getInstantLatency(double seconds) { return control_.latency_ms_of_last(seconds); }
  double getAverageLatency() const { return control_.latency_ms(); }

 private:
  SharedQueue<Item> queue_;
  detail::source_control control_;  // last: its thread uses the queue
};

}  // namespace spb
