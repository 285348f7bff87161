#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <typeinfo>

namespace THALWEG_NAMESPACE {

class composite_stage;
class graph;

namespace model {

/// Which part of which graph it is. What stands for the part outside shares it with the graph, so a handle of
/// another graph is known as such.
struct graph_place {
  const void* graph = nullptr;  ///< null: it is gone
  std::size_t node = 0;
  std::string name;
};

/// A port of a composite stage: a name for a port of one of its children.
class exported_port {
 public:
  exported_port(const exported_port&) = delete;
  exported_port& operator=(const exported_port&) = delete;

  [[nodiscard]] const composite_stage& owner() const noexcept { return *owner_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The type of its items.
  [[nodiscard]] const std::type_info& type() const noexcept { return *type_; }
  [[nodiscard]] bool is_input() const noexcept { return input_; }

 protected:
  exported_port(composite_stage& owner, std::string name, const std::type_info& type, bool input);
  ~exported_port() = default;

  composite_stage* owner_;

 private:
  friend class thalweg::composite_stage;
  friend class thalweg::graph;
  friend class composite_host;

  std::string name_;
  const std::type_info* type_;
  bool input_;
  // The child's port.
  std::shared_ptr<const graph_place> place_;
  std::size_t port_ = 0;
};

}  // namespace model
}  // namespace THALWEG_NAMESPACE
