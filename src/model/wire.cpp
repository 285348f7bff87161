#include <thalweg/model/wire.hpp>

#include <map>
#include <mutex>
#include <typeindex>

namespace THALWEG_NAMESPACE::model {

namespace {

struct registry {
  std::mutex lock;
  std::map<std::type_index, const wire*> known;
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

const wire* wire_of(const std::type_info& type) {
  auto& known = all();
  const std::lock_guard hold(known.lock);
  const auto found = known.known.find(type);
  return found == known.known.end() ? nullptr : found->second;
}

}  // namespace THALWEG_NAMESPACE::model
