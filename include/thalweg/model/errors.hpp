/// What the library throws.
#pragma once

#include <thalweg/version.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// Base of every error that thalweg itself reports.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A loop goes on beyond its limit: an item is not done after the rounds that `tw::iterate` allows, or more
/// items come into being in a loop of a graph than leave it (`connect_options::loop_limit`).
struct loop_overflow : error {
  using error::error;
};

/// A job that cannot be run. `problems()` lists everything that is wrong with it, not only the first finding:
/// the checks before a run report all at once.
class invalid_job : public error {
 public:
  explicit invalid_job(std::vector<std::string> problems);

  /// One sentence a problem, each naming the stage it concerns.
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// An exception that left a stage's operator, factory or hook, as it comes out of `run` and `wait`.
/// The original exception is nested: use `std::rethrow_if_nested(e)` or `cause()`.
///
/// ```cpp
/// try {
///   tw::run(tw::source(std::vector{1, 0}) | tw::map([](int x) { return x == 0 ? throw
///   std::domain_error("zero") : 6 / x; },
///                                                   {.name = "divide"}) | tw::sink([](int) {}));
///   assert(false);
/// } catch (const tw::stage_error& e) {
///   assert(e.stage() == "divide");
///   try { std::rethrow_exception(e.cause()); } catch (const std::domain_error& why) { assert(why.what() ==
///   std::string("zero")); }
/// }
/// ```
class stage_error : public error, public std::nested_exception {
 public:
  /// Call inside a handler of the cause, so that `std::nested_exception` holds it.
  stage_error(std::string stage, int replica, const std::string& message);
  /// The same for a run on several ranks.
  stage_error(std::string stage, int replica, const std::string& message, int rank, std::string host);

  [[nodiscard]] const std::string& stage() const noexcept { return stage_; }
  /// Which replica of a farm failed, counted from 0; 0 for a serial stage.
  [[nodiscard]] int replica() const noexcept { return replica_; }
  /// The rank of the process in which it was thrown, and the host that runs it; 0 and empty where the run has
  /// one process. On other ranks than that the cause is a `thalweg::error` with the text of the original.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] const std::string& host() const noexcept { return host_; }
  [[nodiscard]] std::exception_ptr cause() const noexcept { return nested_ptr(); }

 private:
  std::string stage_;
  int replica_;
  int rank_ = 0;
  std::string host_;
};

/// Thrown by `emitter::send` when the run was cancelled (or, in a source, stopped). Operators let it pass.
/// Deliberately not derived from `std::exception`: a `catch (const std::exception&)` in an operator must not
/// swallow it.
struct cancelled {
  [[nodiscard]] const char* what() const noexcept { return "thalweg: the run was cancelled"; }
};

namespace model {

/// The text of an exception, whatever its type.
[[nodiscard]] std::string message_of(const std::exception_ptr& cause);

/// What travels from the failing operator to the engine: which stage of the component failed, and why.
struct stage_failure {
  std::size_t leaf;
  std::exception_ptr cause;
  bool final = false;  ///< the stage cannot go on, whatever its error policy says
  bool sent = false;   ///< the call has taken or sent something, so it cannot be repeated
};

}  // namespace model
}  // namespace THALWEG_NAMESPACE
