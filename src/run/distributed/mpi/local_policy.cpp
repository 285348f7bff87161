#include "local_policy.hpp"

#include <charconv>
#include <string_view>

#include "../../parts.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

// Names of policies end with `:` and the number of their workers or replicas, where one was asked for.
int workers_asked_for(const mpi_options& how) {
  if (!how.local) return automatic;
  const std::string_view name = how.local->name();
  if (name == "sequential") return 1;
  const auto number = name.substr(name.rfind(':') + 1);
  int n = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), n);
  return read.ec == std::errc() && read.ptr == number.data() + number.size() && n > 0 ? n : cores();
}

any_policy local_policy(const mpi_options& how, int workers) {
  return how.local ? *how.local : any_policy(pool{.workers = workers});
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
