#pragma once

#include <string>

#include "apps/nexmark/generator.hpp"
#include "apps/support/application.hpp"

namespace apps::nexmark_q6 {

/// The lines that the query has to give.
std::string expected(const nexmark::generator& house);

/// What tools need to know.
const application& about();

}  // namespace apps::nexmark_q6
