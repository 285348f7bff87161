#pragma once

#include <thalweg/run/engine.hpp>
#include <thalweg/run/policy.hpp>

#include <memory>

/// What each policy makes of a graph: the same network, executed by other threads.
namespace thalweg::run_detail {

std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const sequential& policy);
std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const pool& policy);
std::shared_ptr<engine> make_network(std::unique_ptr<run_state> state, const threads& policy);

}  // namespace thalweg::run_detail
