#pragma once

#include <thalweg/stages/compression.hpp>

#include <string_view>

namespace THALWEG_NAMESPACE::stages {

/// Whether a file of gzip begins so.
[[nodiscard]] bool begins_gzip(std::string_view first) noexcept;

}  // namespace THALWEG_NAMESPACE::stages
