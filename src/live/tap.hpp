#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <string>
#include <string_view>

#include "sampler.hpp"

namespace THALWEG_NAMESPACE::live {

/// What a client asks for that wants to see items.
struct tap_wish {
  std::string edge{};    ///< `from,to`; empty: `stage` says it
  std::string stage{};   ///< that takes them
  std::string items{};   ///< how many, as a text; empty: 10
  std::string within{};  ///< for how long it waits at most, in ms, as a text; empty: 2000
};

struct tap_answer {
  int status = 200;
  std::string text{};  ///< JSON; of another status, what is wrong
};

/// Looks into the run, and waits until the items have come, the time is over, or `leaves` says that the
/// server goes.
[[nodiscard]] tap_answer tapped(sampler& runs, const tap_wish& asked, const std::atomic<bool>& leaves);

}  // namespace THALWEG_NAMESPACE::live
