#pragma once

#include <thalweg/version.hpp>

#include <type_traits>
#include <typeinfo>

namespace THALWEG_NAMESPACE {

class stage;

namespace model {

/// Whether a stage has `on_run` of its own, private ones included.
template <class S> inline constexpr bool overrides_run = true;
template <class S>
  requires requires { &S::on_run; }
inline constexpr bool overrides_run<S> = !std::is_same_v<decltype(&S::on_run), void (stage::*)()>;

/// One public `on_item`.
template <class S>
concept has_one_on_item = requires { &S::on_item; };

// Where a class has an `on_item`, private ones included, one of another base class makes the name ambiguous.
template <class S> struct beside_on_item {
  struct another {
    void on_item();
  };
  struct both : S, another {};
};
template <class S> constexpr bool names_on_item() {
  if constexpr (has_one_on_item<S>) {
    return true;
  } else if constexpr (std::is_final_v<S>) {
    return false;  // it cannot be told
  } else {
    return !requires { &beside_on_item<S>::both::on_item; };
  }
}
/// Whether a stage has a member `on_item`, of whatever kind.
template <class S> inline constexpr bool has_member_on_item = names_on_item<S>();

template <class F> inline constexpr const std::type_info* class_of_member = &typeid(void);
template <class C, class F> inline constexpr const std::type_info* class_of_member<F C::*> = &typeid(C);

/// The class that declares the `on_item` which is seen from `S`; `void` if that cannot be told, null if there
/// is none.
template <class S> constexpr const std::type_info* declares_on_item() {
  if constexpr (has_one_on_item<S>) {
    return class_of_member<decltype(&S::on_item)>;
  } else {
    return has_member_on_item<S> ? &typeid(void) : nullptr;
  }
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
