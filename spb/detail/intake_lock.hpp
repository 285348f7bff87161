#pragma once

#include <thalweg/pipe/spinlock.hpp>

#include <sys/single_threaded.h>

namespace spb::detail {

/// The lock of an intake. While the process has one thread, which is what a sequential program has, it is
/// free: an atomic operation per element would cost little itself, but make the processor wait for the
/// memory of one element before it turns to the next.
class intake_lock {
 public:
  class guard {
   public:
    explicit guard(intake_lock& lock) : held_(__libc_single_threaded != 0 ? nullptr : &lock.lock_) {
      if (held_ != nullptr) held_->lock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
      if (held_ != nullptr) held_->unlock();
    }

   private:
    thalweg::pipe::spinlock* held_;  // whoever locks it unlocks it, however many threads there are by then
  };

 private:
  thalweg::pipe::spinlock lock_;
};

}  // namespace spb::detail
