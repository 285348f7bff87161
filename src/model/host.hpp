// What those have in common that execute stages in the place of an engine.
#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <cstddef>

namespace THALWEG_NAMESPACE::model {

inline constexpr std::size_t handed_on_at_once = 64;  // items
inline const std::atomic<bool> never_set{false};

}  // namespace THALWEG_NAMESPACE::model
