/// `late`: what is done with items that come too late.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/component.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pattern/keyed.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace THALWEG_NAMESPACE {

/// Takes the items that come too late for a `window` or a `reorder`: made of a callable `f(const T&)`. On a
/// keyed stream `T` may be the item with its key or without. For a generic lambda write `tw::late<T>(f)`.
///
/// Threads: called by the stage, one item at a time, in order. What it throws is a failure of the stage.
class late_handler {
 public:
  late_handler() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, late_handler>)
  late_handler(F f) {
    static_assert(!std::is_void_v<typename model::first_argument_t<F>::type>,
                  "thalweg: a generic lambda does not show the type of late items: write tw::late<T>(f)");
    set<std::remove_cvref_t<typename model::first_argument_t<F>::type>>(std::move(f));
  }

  // For the patterns.
  template <class T, class F> void set(F f) {
    static_assert(std::is_invocable_v<F&, const T&>,
                  "thalweg: a handler of late items must be callable as handler(const T&)");
    item_ = &typeid(T);
    if (!model::is_null_callable(f))
      call_ = [g = std::move(f)](const void* x) mutable { g(*static_cast<const T*>(x)); };
  }
  /// Whether there is one that does not take items of type In.
  template <class In> void check(model::stage_info& info) const {
    if (item_ == nullptr) return;
    if (!call_) info.problems.emplace_back("the handler of late items is null: there is nothing to call");
    if (!takes<In>() && !takes<model::value_t<In>>())
      info.problems.emplace_back("the handler of late items takes another type than the items of this stage");
  }
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  template <class In> void operator()(const In& item) {
    if (!call_) return;
    if (takes<In>()) return call_(&item);
    model::split_key(item, [&](const auto&, const auto& value) { call_(&value); });
  }

 private:
  template <class T> [[nodiscard]] bool takes() const { return *item_ == typeid(T); }

  std::function<void(const void*)> call_;
  const std::type_info* item_ = nullptr;
};

/// A handler of late items of type T: for generic lambdas.
template <class T, class F> late_handler late(F f) {
  late_handler made;
  made.set<T>(std::move(f));
  return made;
}

}  // namespace THALWEG_NAMESPACE
