#pragma once

#include <thalweg/version.hpp>

#include <concepts>
#include <type_traits>

namespace THALWEG_NAMESPACE::model {

// What can be read off a callable's signature. Generic lambdas have none: `signature_of` is then void.
template <class F> struct signature_of_function : std::type_identity<void> {};
template <class R, class... A> struct signature_of_function<R(A...)> : std::type_identity<R(A...)> {};
template <class R, class... A>
struct signature_of_function<R(A...) noexcept> : std::type_identity<R(A...)> {};
template <class C, class R, class... A>
struct signature_of_function<R (C::*)(A...)> : std::type_identity<R(A...)> {};
template <class C, class R, class... A>
struct signature_of_function<R (C::*)(A...) const> : std::type_identity<R(A...)> {};
template <class C, class R, class... A>
struct signature_of_function<R (C::*)(A...) noexcept> : std::type_identity<R(A...)> {};
template <class C, class R, class... A>
struct signature_of_function<R (C::*)(A...) const noexcept> : std::type_identity<R(A...)> {};

template <class F>
struct signature_of : signature_of_function<std::remove_pointer_t<std::remove_cvref_t<F>>> {};
template <class F>
  requires requires { &std::remove_cvref_t<F>::operator(); }
struct signature_of<F> : signature_of_function<decltype(&std::remove_cvref_t<F>::operator())> {};

// A pointer to a member is called with the object first.
template <class F> struct signature_of_member : std::type_identity<void> {};
template <class C, class T> struct signature_of_member<T C::*> : std::type_identity<const T&(const C&)> {};
template <class C, class R, class... A>
struct signature_of_member<R (C::*)(A...)> : std::type_identity<R(C&, A...)> {};
template <class C, class R, class... A>
struct signature_of_member<R (C::*)(A...) const> : std::type_identity<R(const C&, A...)> {};
template <class C, class R, class... A>
struct signature_of_member<R (C::*)(A...) noexcept> : std::type_identity<R(C&, A...)> {};
template <class C, class R, class... A>
struct signature_of_member<R (C::*)(A...) const noexcept> : std::type_identity<R(const C&, A...)> {};
template <class F>
  requires std::is_member_pointer_v<std::remove_cvref_t<F>>
struct signature_of<F> : signature_of_member<std::remove_cvref_t<F>> {};

template <class Signature> struct first_argument : std::type_identity<void> {};
template <class R, class A, class... B> struct first_argument<R(A, B...)> : std::type_identity<A> {};

template <class Signature> struct second_argument : std::type_identity<void> {};
template <class R, class A, class B, class... C>
struct second_argument<R(A, B, C...)> : std::type_identity<B> {};

/// The type of a callable's first parameter, as `std::type_identity`; void if it cannot be known.
template <class F> using first_argument_t = first_argument<typename signature_of<F>::type>;
template <class F> using second_argument_t = second_argument<typename signature_of<F>::type>;

/// How a callable given by forwarding reference is kept: a function as a pointer to it, all else by value.
template <class F>
using kept_t = std::conditional_t<std::is_function_v<std::remove_reference_t<F>>, std::decay_t<F>,
                                  std::remove_cvref_t<F>>;

/// A callable that holds nothing to call: a null function pointer, an empty std::function.
template <class F> constexpr bool is_null_callable(const F& f) {
  if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F>) {
    return f == nullptr;
  } else if constexpr (requires {
                         typename F::result_type;
                         static_cast<bool>(f);
                       }) {
    return !static_cast<bool>(f);  // std::function and its like
  } else {
    return false;
  }
}

}  // namespace THALWEG_NAMESPACE::model
