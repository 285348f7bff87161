#include "next_monitor.hpp"

#include <thalweg/run/engine.hpp>

#include <mutex>
#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

struct wish {
  std::string file;
  std::chrono::nanoseconds every;
};

constinit std::mutex exchanging;
constinit std::optional<wish> next;

}  // namespace

void monitor_next_run(std::string file, std::chrono::nanoseconds every) {
  const std::lock_guard hold(exchanging);
  next = wish{std::move(file), every};
}

run_options with_monitor(const run_options& given) {
  auto options = given;
  const std::lock_guard hold(exchanging);
  if (next && options.observe && options.monitor.empty()) {
    options.monitor = std::move(next->file);
    options.every = next->every;
    next.reset();
  }
  return options;
}

}  // namespace THALWEG_NAMESPACE::run_detail
