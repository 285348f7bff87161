#pragma once

#include <thalweg/thalweg.hpp>

#include <string>

#include <gtest/gtest.h>

/// A test that has to hold under every policy: write TEST_P(suite, name) and FOR_EVERY_POLICY(suite).
class under_every_policy : public testing::TestWithParam<std::string> {
 protected:
  static thalweg::any_policy policy() { return thalweg::policy_from(GetParam()); }
  /// One thread does everything: nothing can happen beside a call that does not return.
  static bool one_thread() { return GetParam() == "sequential"; }
  static bool is_pool() { return GetParam().starts_with("pool"); }
};

inline std::string policy_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == ':') c = '_';
  }
  return name;
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): GoogleTest's own macro needs the name of the suite.
#define FOR_EVERY_POLICY(suite)                                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                                     \
      policy, suite,                                                                            \
      testing::Values(std::string("sequential"), std::string("pool"), std::string("pool:1"),    \
                      std::string("pool:4"), std::string("threads"), std::string("threads:3")), \
      policy_name)
