#pragma once

#include <thalweg/model/component.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <typeinfo>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// What pictures of a job show of it: its parts, lines of stages or single ones with ports, and what connects
/// them.
struct drawing {
  static constexpr std::size_t no_box = std::numeric_limits<std::size_t>::max();
  struct output {
    std::string name;
    const std::type_info* type = nullptr;
  };
  struct part {
    std::vector<stage_info> stages;
    // Of a `tw::stage`; none for a line.
    std::vector<std::string> inputs;
    std::vector<output> outputs;
    std::size_t taps = 0, feeds = 0;  ///< that are open now
    std::size_t box = no_box;         ///< that it is in
  };
  /// A composite stage. Those in which it lies come before it, and their parts follow each other.
  struct box {
    std::string name;
    std::string path;
    std::size_t in = no_box;
  };
  /// From an output of a part to an input of another.
  struct connection {
    std::size_t from = 0, from_port = 0, to = 0, to_port = 0;
  };

  std::vector<part> parts;
  std::vector<box> boxes;
  std::vector<connection> connections;

  /// Graphviz DOT.
  [[nodiscard]] std::string to_dot() const;
  /// For tools.
  [[nodiscard]] std::string to_json() const;
};

}  // namespace THALWEG_NAMESPACE::model
