#pragma once

#include "apps/support/application.hpp"

namespace apps::fraud_detection {

/// What tools need to know.
const application& about();

}  // namespace apps::fraud_detection
