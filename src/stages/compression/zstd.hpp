#pragma once

#include <thalweg/stages/compression.hpp>

#include <string_view>

namespace THALWEG_NAMESPACE::stages {

/// Whether a file of zstd begins so.
[[nodiscard]] bool begins_zstd(std::string_view first) noexcept;

}  // namespace THALWEG_NAMESPACE::stages
