/// The queue that the parallel programs of SPBench 0.5 include under this name, over `SharedQueue`.
#pragma once

#include <cstddef>
#include <memory>

#include "spb/shared_queue.hpp"

/// A bounded queue of pointers to `T`, which the program makes and deletes. `T` has a `bool omp_spar_eos`:
/// behind the last item `Remove` gives one in which it is true, each time another.
template <class T> class SParSharedQueue {
 public:
  explicit SParSharedQueue(std::size_t capacity, std::size_t producers = 1) : items_(capacity, producers) {}

  /// Waits while the queue is full.
  void Add(T* item) { items_.enqueue(item); }
  /// Waits for an item, or for the end.
  T* Remove() {
    T* item = nullptr;
    if (items_.dequeue(item)) return item;
    auto end = std::make_unique<T>();
    end->omp_spar_eos = true;
    return end.release();
  }
  /// At this moment, which may have passed when the program looks at what it got.
  bool IsEmpty() const { return items_.size() == 0; }
  bool IsFull() const { return items_.full(); }
  /// One of the producers has brought its last item.
  void NotifyEOS() { items_.close(); }

 private:
  spb::SharedQueue<T*> items_;
};
