#include <thalweg/model/callable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace {

using thalweg::model::first_argument_t;
using thalweg::model::is_null_callable;
using thalweg::model::second_argument_t;

template <class F> using first = typename first_argument_t<F>::type;
template <class F> using second = typename second_argument_t<F>::type;

int plain(long, const std::string&) {
  return 0;
}

struct functor {
  int operator()(std::string&&) const noexcept { return 0; }
};
struct mutable_functor {
  int operator()(char) { return 0; }
};
struct record {
  int key = 0;
  [[nodiscard]] int doubled() const { return 2 * key; }
  void add(std::string&&) noexcept {}
};
struct overloaded {
  int operator()(int) const { return 0; }
  int operator()(long) const { return 0; }
};

TEST(Callable, ParameterTypesAreReadOffEveryKindOfCallable) {
  const auto lambda = [](double, int) {};
  const auto changing = [](float) mutable {};
  static_assert(std::is_same_v<first<decltype(lambda)>, double>);
  static_assert(std::is_same_v<second<decltype(lambda)>, int>);
  static_assert(std::is_same_v<first<decltype(changing)>, float>);
  static_assert(std::is_same_v<first<decltype(&plain)>, long>);
  static_assert(std::is_same_v<second<decltype(&plain)>, const std::string&>);
  static_assert(std::is_same_v<first<functor>, std::string&&>);
  static_assert(std::is_same_v<first<mutable_functor&>, char>);
  static_assert(std::is_same_v<first<std::function<void(int*)>>, int*>);
  SUCCEED();  // All that is to see here the compiler has seen.
}

TEST(Callable, APointerToAMemberTakesTheObjectFirst) {
  static_assert(std::is_same_v<first<decltype(&record::key)>, const record&>);
  static_assert(std::is_same_v<first<decltype(&record::doubled)>, const record&>);
  static_assert(std::is_same_v<first<decltype(&record::add)>, record&>);
  static_assert(std::is_same_v<second<decltype(&record::add)>, std::string&&>);
  SUCCEED();
}

TEST(Callable, GenericAndOverloadedOnesHaveNoParameterType) {
  const auto generic = [](auto) {};
  const auto none = [] {};
  static_assert(std::is_void_v<first<decltype(generic)>>);
  static_assert(std::is_void_v<first<overloaded>>);
  static_assert(std::is_void_v<first<decltype(none)>>);
  static_assert(std::is_void_v<second<functor>>);
  SUCCEED();
}

TEST(Callable, NullIsWhatHoldsNothingToCall) {
  int (*pointer)(long, const std::string&) = nullptr;
  EXPECT_TRUE(is_null_callable(pointer));
  pointer = plain;
  EXPECT_FALSE(is_null_callable(pointer));

  std::function<int(int)> function;
  EXPECT_TRUE(is_null_callable(function));
  function = [](int x) { return x; };
  EXPECT_FALSE(is_null_callable(function));

  int (functor::*member)(std::string&&) const noexcept = nullptr;
  EXPECT_TRUE(is_null_callable(member));

  EXPECT_FALSE(is_null_callable([] {}));
  EXPECT_FALSE(is_null_callable(functor{}));
}

}  // namespace
