#include <thalweg/observe/logger.hpp>
#include <thalweg/observe/text.hpp>

#include <cstdio>
#include <mutex>

namespace THALWEG_NAMESPACE::observe {

namespace {

std::mutex writing;
log_handler& installed() {
  static log_handler handler;
  return handler;
}

const char* text(severity s) {
  switch (s) {
    case severity::debug:
      return "debug";
    case severity::info:
      return "info";
    case severity::warning:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace

void set_log_handler(log_handler handler) {
  const std::lock_guard one_at_a_time(writing);
  installed() = std::move(handler);
}

void logger::hand_over(severity s, std::string_view line) const {
  const std::lock_guard one_at_a_time(writing);
  if (installed()) {
    installed()(s, name_, line);
  } else {
    std::fprintf(stderr, "%s: %s: %s\n", text(s), printable(name_).c_str(), printable(line).c_str());
  }
}

}  // namespace THALWEG_NAMESPACE::observe
