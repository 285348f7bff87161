/// Which statements of a loop without attributes could be stages of a stream, and what stands in the way.
#pragma once

#include <string>

namespace clang {
class ASTContext;
}

namespace thalweg::spar {

/// Says for each loop of the main file what it could be, as remarks; returns the changed text as a unified
/// diff.
std::string suggest(clang::ASTContext& context);

}  // namespace thalweg::spar
