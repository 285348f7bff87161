#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace apps {

/// The name that was probably meant, by the fewest letters to insert, remove, replace or exchange (R.
/// Lowrance and R. Wagner, An Extension of the String-to-String Correction Problem, 1975, with neighbours
/// exchanged only once); an empty text if none is near.
std::string nearest(std::string_view meant, const std::vector<std::string>& names);

}  // namespace apps
