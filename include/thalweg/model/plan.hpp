#pragma once

#include <thalweg/model/component.hpp>

#include <memory>
#include <string>
#include <vector>

namespace thalweg::model {

/// A job as the policies get it: components in the order of the stream, checked. Each component's output goes
/// to the next one's input.
struct plan {
  std::vector<std::unique_ptr<component>> components;
  std::vector<std::string> problems;

  /// Looks for everything that is wrong with the stages' options and adds it to `problems`.
  void check();
  /// Throws invalid_job if there are problems.
  void require_valid() const;

  /// The job as a picture: Graphviz DOT, and JSON for tools.
  [[nodiscard]] std::string to_dot() const;
  [[nodiscard]] std::string to_json() const;
};

}  // namespace thalweg::model
