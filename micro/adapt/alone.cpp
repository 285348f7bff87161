// One process.
#include "processes.hpp"

namespace micro {

processes::processes(int&, char**&) {}
processes::~processes() = default;

bool processes::first() const noexcept {
  return true;
}

std::uint32_t processes::told(std::uint32_t says) const {
  return says;
}

nanos processes::sum(nanos mine) const {
  return mine;
}

thalweg::any_policy policy_named(const std::string& name) {
  return thalweg::policy_from(name);
}

}  // namespace micro
