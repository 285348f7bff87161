#pragma once

#include <thalweg/thalweg.hpp>

#include <memory>

#include "operators.hpp"

namespace random_graphs {

/// Puts into `g` what `run` describes; its operators report to `run`. Compiled apart (in
/// tests/graph/random_graphs_build_test.cpp), since it takes the compiler longer than all tests together.
void build(const std::shared_ptr<witness>& run, tw::graph& g);

}  // namespace random_graphs
