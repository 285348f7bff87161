#include <thalweg/model/kept_options.hpp>

#include <memory>

namespace thalweg::model {

kept_options::kept_options(options&& o) : held_(std::make_unique<options>(std::move(o)).release()) {}
kept_options::kept_options(const kept_options& other) : kept_options(options(*other)) {}
const options& kept_options::none() noexcept {
  static const options all_defaults;
  return all_defaults;
}
void kept_options::drop(const options* held) noexcept {
  std::default_delete<const options>{}(held);
}

}  // namespace thalweg::model
