#include <thalweg/net/address.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../run/run_watch.hpp"
#include "page.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

constexpr const char* variable = "THALWEG_LIVE";

std::string_view asked_for() {
  const char* const text =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  return text == nullptr ? std::string_view() : text;
}

std::string named(std::string_view value) {
  return std::string(variable) + "=" + std::string(value);
}

options options_from(std::string_view value) {
  const auto where = net::address::parse(value);
  options how;
  if (!where.host.empty()) how.address = where.host;
  how.port = where.port;
  return how;
}

class of_engine final : public subject {
 public:
  explicit of_engine(run_detail::engine& run) : run_(run) {}
  report stats() override {
    run_.state().look_around();
    return run_.state().make_report(done());
  }
  bool done() override { return run_.state().flags.done.load(std::memory_order_acquire); }
  thalweg::execution* control() override { return nullptr; }

 private:
  run_detail::engine& run_;
};

/// Shows all runs of a program on one page, if the environment says where: always the one that began last,
/// but for those that operators of another one have begun.
class environment_watch final : public run_detail::run_watch,
                                public std::enable_shared_from_this<environment_watch> {
 public:
  void check() override {
    if (asked_for().empty()) return;
    try {
      (void)options_from(asked_for());
    } catch (const error& e) {
      throw error(named(asked_for()) + ": " + e.what());
    }
  }

  void begun(run_detail::engine& run) noexcept override {
    const auto where = asked_for();
    if (where.empty()) return;
    try {
      const std::lock_guard hold(mutex_);
      const bool nested = std::ranges::any_of(
          runs_, [](const auto& one) { return run_detail::executing::operators_of(one.first->state()); });
      auto seen = std::make_shared<of_engine>(run);
      runs_.emplace(&run, seen);
      if (nested || closed_) return;
      if (!page_) page_.emplace(options_from(where));
      static const closing at_exit(shared_from_this());  // before what the page has made is gone
      page_->runs.watch(seen);
    } catch (const std::exception& e) {
      run.state().statistics.note(named(where) + ": " + e.what() + ": the run goes on without");
    }
  }

  void over(run_detail::engine& run) noexcept override {
    const std::lock_guard hold(mutex_);
    const auto at = runs_.find(&run);
    if (at == runs_.end()) return;
    if (page_) page_->runs.finish(*at->second);
    runs_.erase(at);
  }

  void close() noexcept {
    const std::lock_guard hold(mutex_);
    closed_ = true;
    page_.reset();
  }

 private:
  struct closing {
    explicit closing(std::shared_ptr<environment_watch> what) : of(std::move(what)) {}
    closing(const closing&) = delete;
    closing& operator=(const closing&) = delete;
    ~closing() { of->close(); }
    const std::shared_ptr<environment_watch> of;
  };

  std::mutex mutex_;
  std::map<run_detail::engine*, std::shared_ptr<of_engine>> runs_;  // that go on
  std::optional<page> page_;
  bool closed_ = false;
};

// While the library is there.
class registration {
 public:
  registration() { run_detail::watch_runs(watch_); }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  ~registration() {
    run_detail::watch_runs(nullptr);
    watch_->close();
  }

 private:
  std::shared_ptr<environment_watch> watch_ = std::make_shared<environment_watch>();
};

const registration registered;

}  // namespace

// Programs that name nothing of the component ask for this when they are linked (cmake/live.cmake).
extern const char linked;
const char linked = 1;

}  // namespace THALWEG_NAMESPACE::live
