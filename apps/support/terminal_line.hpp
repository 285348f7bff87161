#pragma once

#include <string>

namespace apps {

/// A line on the terminal of standard error that takes the place of the one before, for what is true for a
/// moment. Nothing is shown where that is no terminal, or one that another program has in the foreground. Of
/// any thread.
void show_line(const std::string& text);
/// Removes it, if there is one.
void wipe_line();

}  // namespace apps
