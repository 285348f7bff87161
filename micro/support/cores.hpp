#pragma once

namespace micro {

/// The cores this process may use.
int cores();

}  // namespace micro
