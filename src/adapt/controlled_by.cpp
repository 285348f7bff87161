#include <thalweg/adapt/controlled_by.hpp>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>

#include <unistd.h>

#include "controller_reply.hpp"
#include "controllers.hpp"

namespace THALWEG_NAMESPACE {

namespace {

// Another one for each run, also of programs that are started anew.
std::string new_run_id() {
  static std::atomic<int> runs{0};
  return std::string(program_invocation_short_name) + "." + std::to_string(::getpid()) + "." +
         std::to_string(++runs);
}

}  // namespace

adaptation::planner controlled_by(std::string_view address) {
  if (!adaptation::can_read_replies())
    throw error(
        "controlled_by: this build of the library has no reader of JSON: build it with nlohmann-json");
  return {"external", [at = adaptation::controller_address::parse(address)] {
            auto all = std::make_shared<adaptation::controllers>(at, new_run_id());
            return [all](const adaptation::window& w) { return all->show(w); };
          }};
}

}  // namespace THALWEG_NAMESPACE
