/// How a written program names the type of a variable, and whether it can declare it anew.
#pragma once

#include "places.hpp"

namespace thalweg::spar {

/// Sets what a variable's declaration says of it, for the stream that this text is.
void describe(variable& v, extent stream, const places& where);

/// Whether a type, as Clang prints it, is or has that of a lambda or of a class without a name.
bool has_no_name(const std::string& type);

/// Whether the type of a variable, or of its elements, is declared inside the stream.
bool named_inside(const clang::ValueDecl* declared, extent stream, const places& where);

}  // namespace thalweg::spar
