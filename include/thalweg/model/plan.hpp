#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/naming.hpp>

#include <memory>
#include <string>
#include <vector>

namespace thalweg::model {

/// A job as the policies get it: components in the order of the stream, checked. Each component's output goes
/// to the next one's input.
struct plan {
  plan() noexcept;
  plan(plan&& other) noexcept;
  plan& operator=(plan&& other) noexcept;
  ~plan();

  std::vector<std::unique_ptr<component>> components;
  std::vector<std::string> problems;

  /// Collects the problems: those of the names, and everything that is wrong with the stages' options.
  void check(const naming& names);
  /// Throws invalid_job if there are problems.
  void require_valid() const;

  /// The job as a picture: Graphviz DOT, and JSON for tools.
  [[nodiscard]] std::string to_dot() const;
  [[nodiscard]] std::string to_json() const;
};

}  // namespace thalweg::model
