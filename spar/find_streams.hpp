/// From Clang's tree to streams: which statement an attribute belongs to, and which variables it names.
#pragma once

#include "places.hpp"

#include <vector>

namespace thalweg::spar {

/// The streams of the main file, in their order; those inside others are `nested`. What is wrong is reported.
/// Attributes in `skipped` parts, which the preprocessor leaves out, stay as they are.
[[nodiscard]] std::vector<stream> find_streams(const places& where, const std::vector<attribute>& attributes,
                                               const std::vector<extent>& skipped);

/// What is wrong with an attribute that stands on no statement.
[[nodiscard]] problem misplaced(const attribute& a);

}  // namespace thalweg::spar
