#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::model {

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Which entries have something to do, and when. Made for times that many entries share, as keys share the
/// ends of windows: an entry with the same time as the previous one costs next to nothing. It allocates no
/// memory after it has reached its largest size.
template <class Id> class agenda {
 public:
  void put(std::int64_t time, Id who) {
    if (time != last_time_ || last_ == nullptr) last_ = &of(time);
    last_time_ = time;
    last_->push_back(who);
    if (time < next_) next_ = time;
  }

  /// The earliest time; `never` if there is none.
  [[nodiscard]] std::int64_t next() const noexcept { return next_; }

  /// Takes the earliest time out, and calls `f(time, const std::vector<Id>&)`, which may put in more.
  template <class F> void take_next(F&& f) {
    auto taken = times_.extract(times_.begin());
    next_ = times_.empty() ? never : times_.begin()->first;
    if (last_time_ == taken.key()) last_ = nullptr;
    std::forward<F>(f)(taken.key(), std::as_const(taken.mapped()));
    taken.mapped().clear();
    spare_ = std::move(taken);
  }

 private:
  using times = std::map<std::int64_t, std::vector<Id>>;

  std::vector<Id>& of(std::int64_t time) {
    if (spare_.empty()) return times_[time];
    spare_.key() = time;
    auto put = times_.insert(std::move(spare_));
    if (!put.inserted) spare_ = std::move(put.node);
    return put.position->second;
  }

  times times_;
  std::int64_t next_ = never;
  // Where the previous one was put.
  std::int64_t last_time_ = never;
  std::vector<Id>* last_ = nullptr;
  typename times::node_type spare_;
};

}  // namespace THALWEG_NAMESPACE::model
