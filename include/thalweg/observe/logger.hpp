/// `logger`: the lines that a stage writes about itself, and who takes them.
#pragma once

#include <thalweg/version.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE::observe {

/// How much a line matters. A logger writes lines of its own level and above.
enum class severity : std::uint8_t { debug, info, warning, error, none };

/// Takes the lines of all loggers, one at a time.
using log_handler = std::function<void(severity, std::string_view stage, std::string_view line)>;

/// Gives the lines of all loggers to `handler` from now on; null: to the standard error stream again. Any
/// thread may call it.
///
/// ```cpp
/// std::string seen;
/// tw::observe::set_log_handler([&](tw::observe::severity, std::string_view who, std::string_view line) {
///   seen = std::string(who) + ": " + std::string(line);
/// });
/// tw::observe::logger log("read");
/// log.debug("not from this level on");
/// log.warning("line 3 is empty");
/// tw::observe::set_log_handler(nullptr);
/// assert(seen == "read: line 3 is empty");
/// ```
void set_log_handler(log_handler handler);

/// The lines of one stage. Any thread may use it.
class logger {
 public:
  logger() = default;
  explicit logger(std::string name) : name_(std::move(name)) {}

  void set_level(severity s) noexcept { from_.store(s, std::memory_order_relaxed); }
  [[nodiscard]] severity from() const noexcept { return from_.load(std::memory_order_relaxed); }
  /// Before it is used.
  void rename(std::string name) { name_ = std::move(name); }

  void debug(std::string_view line) const { write(severity::debug, line); }
  void info(std::string_view line) const { write(severity::info, line); }
  void warning(std::string_view line) const { write(severity::warning, line); }
  void error(std::string_view line) const { write(severity::error, line); }

 private:
  void write(severity s, std::string_view line) const {
    if (s >= from()) hand_over(s, line);
  }
  void hand_over(severity s, std::string_view line) const;

  std::string name_;
  std::atomic<severity> from_{severity::info};
};

}  // namespace THALWEG_NAMESPACE::observe
