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
#include "saved_page.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

constexpr const char* where_variable = "THALWEG_LIVE";
constexpr const char* save_variable = "THALWEG_LIVE_SAVE";

std::string_view value_of(const char* variable) {
  const char* const text =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  return text == nullptr ? std::string_view() : text;
}

std::string named(const char* variable) {
  return std::string(variable) + "=" + std::string(value_of(variable));
}

bool is_asked_for() {
  return !value_of(where_variable).empty() || !value_of(save_variable).empty();
}

bool is_served() {
  return !value_of(where_variable).empty();
}

options options_from_environment() {
  options how;
  how.save = value_of(save_variable);
  if (!is_served()) return how;
  const auto where = net::address::parse(value_of(where_variable));
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
    if (!is_asked_for()) return;
    try {
      const auto how = options_from_environment();
      const auto why = how.save.empty() ? std::string() : unwritable(how.save);
      if (!why.empty()) throw error(named(save_variable) + ": cannot be written: " + why);
    } catch (const network_error& e) {
      throw error(named(where_variable) + ": " + e.what());
    }
  }

  void begun(run_detail::engine& run) noexcept override {
    if (!is_asked_for()) return;
    try {
      const std::lock_guard hold(mutex_);
      const bool nested = std::ranges::any_of(
          runs_, [](const auto& one) { return run_detail::executing::operators_of(one.first->state()); });
      auto seen = std::make_shared<of_engine>(run);
      runs_.emplace(&run, seen);
      if (nested || closed_) return;
      if (!page_) page_.emplace(options_from_environment(), is_served());
      static const closing at_exit(shared_from_this());  // before what the page has made is gone
      page_->runs.watch(seen);
    } catch (const std::exception& e) {
      const auto* const which = is_served() ? where_variable : save_variable;
      run.state().statistics.note(named(which) + ": " + e.what() + ": the run goes on without");
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
