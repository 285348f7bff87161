#pragma once

#include <thalweg/model/errors.hpp>

#include <string>

/// What the error says that `f` throws; nothing if it throws none.
template <class F> std::string refusal(F&& f) {
  try {
    f();
  } catch (const thalweg::error& e) {
    return e.what();
  }
  return {};
}
