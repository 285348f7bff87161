#pragma once

#include <string>
#include <vector>

#include "apps/support/application.hpp"

namespace apps {

/// An application that could not be built, and the Debian packages that it needs.
struct missing_application {
  std::string name;
  std::string packages;
};

/// The applications that were built, by name.
const std::vector<const application*>& applications();
const std::vector<missing_application>& missing_applications();

}  // namespace apps
