#include <thalweg/model/wire.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <typeindex>

namespace THALWEG_NAMESPACE::model {

namespace {

// Libraries may know the same type, each with a name of its own for it: what one takes away when it is
// unloaded is all that is of it.
struct registry {
  std::mutex lock;
  std::multimap<std::type_index, const wire*> known;
};

registry& all() {
  static registry of_all;
  return of_all;
}

}  // namespace

void add_wire(const std::type_info& type, const wire& how) {
  auto& known = all();
  const std::lock_guard hold(known.lock);
  known.known.emplace(type, &how);
}

void remove_wire(const std::type_info& type, const wire& how) {
  auto& known = all();
  const std::lock_guard hold(known.lock);
  const auto [first, last] = known.known.equal_range(type);
  const auto mine = std::find_if(first, last, [&](const auto& one) { return one.second == &how; });
  if (mine != last) known.known.erase(mine);
}

const wire* wire_of(const std::type_info& type) {
  auto& known = all();
  const std::lock_guard hold(known.lock);
  const auto found = known.known.find(type);
  return found == known.known.end() ? nullptr : found->second;
}

}  // namespace THALWEG_NAMESPACE::model
