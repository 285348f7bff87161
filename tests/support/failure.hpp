#pragma once

#include <thalweg/thalweg.hpp>

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

/// What came out of a run that must fail in a stage.
struct failure {
  std::string stage;
  int replica = -1;
  std::string cause;  ///< the text of the original exception, whatever its type
  std::string what;
};

/// Calls `f` and returns the stage_error that it throws; a test failure if it throws nothing or something
/// else.
template <class F> failure failure_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const thalweg::stage_error& e) {
    failure found{e.stage(), e.replica(), {}, e.what()};
    try {
      e.rethrow_nested();
    } catch (const std::exception& cause) {
      found.cause = cause.what();
    } catch (const char* text) {
      found.cause = text;
    } catch (int number) {
      found.cause = std::to_string(number);
    }
    return found;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "threw not a stage_error but: " << e.what();
    return {};
  } catch (...) {
    ADD_FAILURE() << "threw not a stage_error but something that is no std::exception";
    return {};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}

/// The problems of a job that must be refused before it runs.
template <class F> std::vector<std::string> problems_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const thalweg::invalid_job& e) {
    return e.problems();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "threw not an invalid_job but: " << e.what();
    return {};
  }
  ADD_FAILURE() << "threw nothing";
  return {};
}
