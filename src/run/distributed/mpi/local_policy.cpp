#include "local_policy.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/engine.hpp>

#include <utility>

#include "../../engine/graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

int workers_asked_for(const mpi_options& how) {
  if (!how.local) return automatic;
  const int n = how.local->workers();
  return n == automatic ? cores() : n;
}

any_policy local_policy(const mpi_options& how, int workers) {
  return how.local ? *how.local : any_policy(pool{.workers = workers});
}

std::shared_ptr<engine> make_local(const any_policy& local, std::unique_ptr<run_state> state) {
  auto made = local.make(std::move(state));
  if (dynamic_cast<dataflow::graph_engine*>(made.get()) == nullptr)
    throw invalid_job(
        {"the policy '" + local.name() +
         "' has an engine of its own, which cannot share the stages with other ranks: give "
         ".local a policy of this library, or one that thalweg::run_detail::make_network makes"});
  return made;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
