#pragma once

#include <thalweg/model/gate.hpp>

#include <cstdint>
#include <memory>

namespace THALWEG_NAMESPACE::model {

/// What `tw::tap` and `tw::feed` have in common: a hold on a gate. All copies are the same port, which is
/// closed, by `Close`, when somebody says so or the last copy goes.
template <class T, void (gate<T>::*Close)()> class open_port {
 public:
  using item_type = T;

  /// How many items have found it full and were dropped, or waited in it when it was closed.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return hold_->dropped(); }
  /// Any thread.
  void close() { ((*hold_).*Close)(); }

 protected:
  explicit open_port(const std::shared_ptr<gate<T>>& g)
      : hold_(g.get(), [kept = g](gate<T>* last) { (last->*Close)(); }) {}

  [[nodiscard]] gate<T>& held() const noexcept { return *hold_; }

 private:
  std::shared_ptr<gate<T>> hold_;  // of the copies alone: the gate itself also belongs to the stage
};

}  // namespace THALWEG_NAMESPACE::model
