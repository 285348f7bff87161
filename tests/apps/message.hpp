#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apps/support/error.hpp"

/// The text of the `apps::error` that `f` throws; a test failure if it throws nothing.
template <class F> std::string message_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const apps::error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}
