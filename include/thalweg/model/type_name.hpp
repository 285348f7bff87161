#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <typeinfo>

namespace thalweg::inline THALWEG_ABI::model {

/// The name of a type as a user writes it.
std::string type_name(const std::type_info& type);

}  // namespace thalweg::inline THALWEG_ABI::model
