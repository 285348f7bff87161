#pragma once

#include <thalweg/thalweg.hpp>

#include <memory>

#include "operators.hpp"

namespace random_jobs {

namespace tw = thalweg;

/// Makes a thalweg job of what `run` describes; its operators report to `run`. Compiled apart (in
/// tests/run/random_jobs_build_test.cpp), since it takes the compiler longer than all tests together.
tw::any_pipeline<void, void> build(std::shared_ptr<witness> run);

}  // namespace random_jobs
