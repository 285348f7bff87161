// Metadata of a column or table of Arrow: how many pairs there are, and each as two texts with their lengths.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <string_view>

namespace THALWEG_NAMESPACE::model {

/// All of the bytes; none for a null pointer.
std::string_view metadata_at(const char* metadata) noexcept;

/// Whether these bytes are metadata, and nothing is behind it. No bytes are.
bool is_metadata(std::string_view bytes) noexcept;

}  // namespace THALWEG_NAMESPACE::model
