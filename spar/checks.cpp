#include "checks.hpp"

namespace thalweg::spar {
namespace {

void check_one(const stream& s, clang::ASTContext& context, report& to) {
  check_clauses(s, context, to);
  check_jumps(s, context, to);
  check_variables(s, context, to);
  for (const auto& inner : s.nested) check_one(inner, context, to);
}

}  // namespace

bool check(const std::vector<stream>& streams, clang::ASTContext& context) {
  report to(context);
  for (const auto& each : streams) check_one(each, context, to);
  return !to.failed();
}

}  // namespace thalweg::spar
