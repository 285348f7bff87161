#include <thalweg/model/composite_stage.hpp>

#include <utility>

namespace THALWEG_NAMESPACE {

namespace model {

exported_port::exported_port(composite_stage& owner, std::string name, const std::type_info& type, bool input)
    : owner_(&owner), name_(std::move(name)), type_(&type), input_(input) {
  owner.exported_.push_back(this);
}

}  // namespace model

composite_stage::composite_stage() = default;
composite_stage::~composite_stage() = default;

graph& composite_stage::children() {
  if (added_)
    throw error("composite stage '" + name_ +
                "': it is already in a graph: make, connect and export its children in its constructor");
  return children_;
}

void composite_stage::lead(model::exported_port& p, graph::where to) {
  children_.lead(p, std::move(to));
}

}  // namespace THALWEG_NAMESPACE
