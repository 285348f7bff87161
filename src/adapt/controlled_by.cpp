#include <thalweg/adapt/controlled_by.hpp>

#include <memory>

#include "controller_reply.hpp"
#include "controllers.hpp"
#include "run_id.hpp"

namespace THALWEG_NAMESPACE {

adaptation::planner controlled_by(std::string_view address) {
  if (!adaptation::can_read_replies())
    throw error(
        "controlled_by: this build of the library has no reader of JSON: build it with nlohmann-json");
  return {"external", [at = adaptation::controller_address::parse(address)] {
            auto all = std::make_shared<adaptation::controllers>(at, adaptation::new_run_id());
            return [all](const adaptation::window& w) { return all->show(w); };
          }};
}

}  // namespace THALWEG_NAMESPACE
