#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// What has become of some bytes since they were sent the last time. Between two looks at a rank few of its
/// counters change, and of these the low bytes. Nothing here calls MPI.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// Bytes may be added at the end, or be gone from there.
[[nodiscard]] std::vector<std::byte> difference(std::span<const std::byte> before,
                                                std::span<const std::byte> now);

/// Makes of what was before what is now. \throws codec_error  if it is not what `difference` gives; then
/// `bytes` are neither
void apply(std::span<const std::byte> change, std::vector<std::byte>& bytes);

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
