/// Streams as pictures: what runs where, and what travels between.
#pragma once

#include <string>
#include <vector>

#include "stream.hpp"

namespace clang {
class ASTContext;
}

namespace thalweg::spar {

/// As text for a terminal.
[[nodiscard]] std::string explain(const std::vector<stream>& streams, clang::ASTContext& context);
/// In the language of Graphviz.
[[nodiscard]] std::string explain_dot(const std::vector<stream>& streams, clang::ASTContext& context);

}  // namespace thalweg::spar
