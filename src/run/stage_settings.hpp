#pragma once

#include <thalweg/model/plan.hpp>
#include <thalweg/run/stage_setting.hpp>

#include <span>

namespace THALWEG_NAMESPACE::run_detail {

/// Changes the options of the job's stages. What cannot be becomes a problem of the plan; a plan that has
/// some already stays as it is.
void apply_settings(model::plan& job, std::span<const stage_setting> settings);

}  // namespace THALWEG_NAMESPACE::run_detail
