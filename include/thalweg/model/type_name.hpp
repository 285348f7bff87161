#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <typeinfo>

namespace THALWEG_NAMESPACE::model {

/// The name of a type as a user writes it.
std::string type_name(const std::type_info& type);

}  // namespace THALWEG_NAMESPACE::model
