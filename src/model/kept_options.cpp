#include <thalweg/model/kept_options.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::model {

kept_options::kept_options(options&& o) : held_(new options(std::move(o))) {}
kept_options::kept_options(const kept_options& other) : kept_options(options(*other)) {}
const options& kept_options::none() noexcept {
  static const options all_defaults;
  return all_defaults;
}
void kept_options::drop::operator()(const options* held) const noexcept {
  delete held;
}

}  // namespace THALWEG_NAMESPACE::model
