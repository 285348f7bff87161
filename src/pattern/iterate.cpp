#include <thalweg/pattern/iterate.hpp>

#include <string>

namespace THALWEG_NAMESPACE::model {

void overflow(std::int64_t limit) {
  throw loop_overflow("an item is not done after " + std::to_string(limit) + " rounds");
}

}  // namespace THALWEG_NAMESPACE::model
