#pragma once

#include <thalweg/thalweg.hpp>

#include <stdexcept>
#include <string>

#include "spb/api.hpp"
#include "spb/detail/failure.hpp"

/// The policy that `-user-arg` names (pool, threads or sequential), with as many workers or replicas as
/// `-nthreads` says; a pool without it.
inline thalweg::any_policy policy_asked() {
  const auto name = spb::SPBench::getArgs() == 0 ? "pool" : spb::SPBench::getArg(0);
  if (name == "threads") return thalweg::threads{.replicas = spb::nthreads};
  if (name == "sequential") return thalweg::sequential{};
  spb::detail::or_end([&] {
    if (name != "pool")
      throw std::invalid_argument("-user-arg: '" + name + "' is no policy: pool, threads or sequential");
  });
  return thalweg::pool{.workers = spb::nthreads};
}
