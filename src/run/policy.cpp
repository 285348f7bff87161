#include <thalweg/model/errors.hpp>
#include <thalweg/run/back_end.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/run/policy.hpp>

#include <charconv>
#include <map>
#include <mutex>
#include <vector>

#include "tuning.hpp"

namespace THALWEG_NAMESPACE {

namespace {

constexpr int most_threads = 65'000;  // more than a process gets
constexpr const char* hint = " (tbb and omp: include thalweg/run/tbb.hpp or thalweg/run/omp.hpp)";

std::string with_number(const char* name, int n) {
  return n == automatic ? name : std::string(name) + ":" + std::to_string(n);
}

// What stands behind the colon of a name.
int number_behind(std::string_view name) {
  const auto digits = name.substr(name.rfind(':') + 1);
  int n = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return failed == std::errc{} && end == digits.data() + digits.size() && n > 0 ? n : automatic;
}

struct registry {
  struct entry {
    const void* owner;
    std::function<any_policy(int)> make;
  };
  std::mutex lock;
  std::map<std::string, std::vector<entry>, std::less<>> known;

  void add(const std::string& name, const void* owner, std::function<any_policy(int)> make) {
    const std::lock_guard hold(lock);
    known[name].push_back({owner, std::move(make)});
  }

  void remove(const std::string& name, const void* owner) {
    const std::lock_guard hold(lock);
    const auto named = known.find(name);
    std::erase_if(named->second, [&](const entry& e) { return e.owner == owner; });
    if (named->second.empty()) known.erase(named);
  }
};
registry& registered() {
  static registry all;
  return all;
}

}  // namespace

bool register_policy(std::string name, std::function<any_policy(int)> make) {
  registered().add(name, nullptr, std::move(make));
  return true;
}

registered_policy::registered_policy(std::string name, std::function<any_policy(int)> make)
    : name_(std::move(name)) {
  registered().add(name_, this, std::move(make));
}
registered_policy::~registered_policy() {
  registered().remove(name_, this);
}

any_policy::any_policy(const any_policy&) = default;
any_policy::any_policy(any_policy&&) noexcept = default;
any_policy& any_policy::operator=(const any_policy&) = default;
any_policy& any_policy::operator=(any_policy&&) noexcept = default;
any_policy::~any_policy() = default;

any_policy::any_policy(std::string name, std::shared_ptr<const void> policy, maker made_by, int workers)
    : name_(std::move(name)),
      policy_(std::move(policy)),
      make_(made_by),
      workers_(workers > 0 ? workers : number_behind(name_)) {}

any_policy::any_policy() : any_policy(pool{}) {}
any_policy::any_policy(sequential)
    : any_policy("sequential", std::make_shared<sequential>(), run_detail::make_sequential, 1) {}
any_policy::any_policy(pool p) {
  auto name = with_number("pool", p.workers);
  *this = any_policy(std::move(name), std::make_shared<pool>(std::move(p)), run_detail::make_pool);
}
any_policy::any_policy(threads t)
    : any_policy(with_number("threads", t.replicas), std::make_shared<threads>(std::move(t)),
                 run_detail::make_threads) {}

std::shared_ptr<run_detail::engine> any_policy::make(std::unique_ptr<run_detail::run_state> state) const {
  auto made = make_(std::move(state), policy_.get());
  if (!made->state().plan.is_line && !made->executes_graphs())
    throw invalid_job(
        {"the policy '" + name_ +
         "' executes only lines of stages, but this job is a graph: run it under another policy, "
         "such as thalweg::pool"});
  return made;
}

any_policy policy_from(std::string_view text) {
  auto& others = registered();
  std::unique_lock hold(others.lock);
  const auto refuse = [&](const std::string& why) -> any_policy {
    std::string more;
    for (const auto& [name, make] : others.known) more += ", " + name + ", " + name + ":N";
    throw error(
        "unknown policy '" + std::string(text) + "'" + why +
        ": there are sequential, pool, pool:N (workers), threads, threads:N (replicas over all farms)" +
        more + (others.known.contains("tbb") && others.known.contains("omp") ? "" : hint));
  };
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  if (name == "sequential" && colon != std::string_view::npos) return refuse(" (sequential takes no number)");
  const auto other = others.known.find(name);
  if (name != "sequential" && name != "pool" && name != "threads" && other == others.known.end())
    return refuse("");
  int n = automatic;
  if (colon != std::string_view::npos) {
    const auto digits = text.substr(colon + 1);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    const int most = name == "threads" ? most_threads : run_detail::most_workers;
    if (failed != std::errc{} || end != digits.data() + digits.size() || n < 1 || n > most)
      return refuse(" (the number after ':' must be between 1 and " + std::to_string(most) + ")");
  }
  if (name == "pool") return pool{.workers = n};
  if (name == "threads") return threads{.replicas = n};
  if (name == "sequential") return sequential{};
  // It may ask for another policy, or make one known.
  const auto make = other->second.back().make;
  hold.unlock();
  return make(n);
}

}  // namespace THALWEG_NAMESPACE
