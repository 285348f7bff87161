#pragma once

#include <string>

#include "apps/nexmark/generator.hpp"
#include "apps/support/application.hpp"

namespace apps::nexmark {

/// The lines that a query has to give for the events of a house, in any order: found out by other code than
/// that of the query.
using expectation = std::string (*)(const generator& house);

/// A query as an application. `operation`: what its operator is called.
application query_application(std::string name, std::string says, std::string operation,
                              expectation expected);

/// Compares lines with those that are expected, whatever their order: each as often as it should come. Lines
/// have their ends.
verdict compare(std::string expected, std::string found);

}  // namespace apps::nexmark
