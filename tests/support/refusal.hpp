#pragma once

#include <thalweg/model/errors.hpp>

#include <string>
#include <utility>

/// What the error says that `f` throws.
template <class F> std::string refusal_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const thalweg::error& e) {
    return e.what();
  }
  return "nothing was refused";
}
