/// What is wrong with streams: where the program would not do what the loop does.
#pragma once

#include <vector>

#include "report.hpp"
#include "stream.hpp"

namespace thalweg::spar {

/// Reports everything that is wrong. False if there is an error: then no program can be written.
[[nodiscard]] bool check(const std::vector<stream>& streams, clang::ASTContext& context);

// The parts of it, each on one stream.
/// Jumps out of stages and out of the stream, and exceptions.
void check_jumps(const stream& s, clang::ASTContext& context, report& to);
/// Arguments of clauses.
void check_clauses(const stream& s, clang::ASTContext& context, report& to);
/// What stages and the source do with variables: races, and values that come too late or not at all.
void check_variables(const stream& s, clang::ASTContext& context, report& to);

}  // namespace thalweg::spar
