#pragma once

#include <thalweg/version.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

/// A function that is called during the call that it is given to: any callable, referred to and not kept.
/// For results, which are fewer than items: a template would be compiled anew for each place that takes them.
template <class Signature> class function_ref;
template <class R, class... Args> class function_ref<R(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, function_ref> &&
             std::is_invocable_r_v<R, std::remove_reference_t<F>&, Args...>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda is what it is called with
  function_ref(F&& f) noexcept
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_(call<std::remove_reference_t<F>>) {}

  R operator()(Args... args) const { return call_(callable_, std::forward<Args>(args)...); }

 private:
  // A lambda in its place would be two functions more.
  template <class F> static R call(void* callable, Args... args) {
    return (*static_cast<F*>(callable))(std::forward<Args>(args)...);
  }

  void* callable_;
  R (*call_)(void*, Args...);
};

}  // namespace THALWEG_NAMESPACE::model
