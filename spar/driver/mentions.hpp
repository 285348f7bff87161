/// A quick look at a source: is there anything for thalweg-spar?
#pragma once

#include <string>
#include <string_view>

namespace thalweg::spar::driver {

/// Whether a text seems to have attributes of SPar. It may be wrong where comments and literals look like
/// them: then thalweg-spar changes nothing.
bool mentions_attributes(std::string_view text);

/// The same for a file; false if it cannot be read.
bool file_mentions_attributes(const std::string& path);

}  // namespace thalweg::spar::driver
