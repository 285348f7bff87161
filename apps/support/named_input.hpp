#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/support/application.hpp"
#include "apps/support/error.hpp"

namespace apps {

/// The one of an application's inputs (a range of anything that has a `name`) that is called so.
/// \throws error  if there is none
template <class Inputs>
const auto& named_input(const Inputs& inputs, std::string_view app, std::string_view name) {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [&](const auto& one) { return one.name == name; });
  if (found == inputs.end()) throw error(std::string(app).append(" has no input '").append(name).append("'"));
  return *found;
}

}  // namespace apps
