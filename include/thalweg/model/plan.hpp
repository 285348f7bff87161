#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/connect.hpp>
#include <thalweg/model/drawing.hpp>
#include <thalweg/model/graph_run.hpp>
#include <thalweg/model/naming.hpp>
#include <thalweg/model/type_name.hpp>

#include <memory>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// From an output of one component to an input of another.
struct edge {
  std::size_t from = 0;
  std::size_t from_port = 0;
  std::size_t to = 0;
  std::size_t to_port = 0;
  connect_options opts = {};
  conversion convert = {};
};

/// A job as the policies get it: components and what connects them, checked. Where it is a line it has no
/// edges: the components are in the order of the stream, and each one's output goes to the next one's input.
struct plan {
  plan() noexcept;
  plan(plan&& other) noexcept;
  plan& operator=(plan&& other) noexcept;
  ~plan();

  std::vector<std::unique_ptr<component>> components;
  std::vector<edge> edges;
  std::vector<std::string> problems;
  /// Of a graph: it is told when the run is over. Null: the job is a pipeline.
  std::shared_ptr<graph_run> of_graph;

  bool is_line = true;
  /// The edges, also those of a line.
  [[nodiscard]] std::vector<edge> connections() const;

  /// Whether the keys of some stage are to be divided up.
  [[nodiscard]] bool divides_keys() const noexcept;

  /// Collects the problems: those of the names, and everything that is wrong with the stages' options.
  void check(const naming& names);
  /// Of these the latter: also when options have been changed.
  void check_options();
  /// Gives stages that have no error policy this one, if they can have it.
  void use_by_default(const error_policy& policy);
  /// If components and edges are one line from a source to a sink, makes it that: engines for lines are the
  /// fastest.
  void straighten();
  /// Throws invalid_job if there are problems.
  void require_valid() const;

  /// What a picture of it shows; for a job that is no graph.
  [[nodiscard]] drawing drawn() const;
};

}  // namespace THALWEG_NAMESPACE::model
