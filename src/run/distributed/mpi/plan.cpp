#include "plan.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/json.hpp>
#include <thalweg/stages/atomic_file.hpp>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  return text == nullptr ? std::string_view() : text;
}

template <class Number>
Number number_in(std::string_view name, std::string_view text, Number least, Number most) {
  Number n{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(n >= least && n <= most))
    throw error(std::string(name) + ": '" + std::string(text) + "' is not a valid number here");
  return n;
}

int whole_number(const char* name, int otherwise) {
  constexpr int most = 1 << 20;
  const auto text = variable(name);
  return text.empty() ? otherwise : number_in(name, text, 1, most);
}

}  // namespace

std::optional<plan_request> requested_plan() {
  const auto file = variable("THALWEG_PLAN");
  if (file.empty()) return std::nullopt;
  plan_request asked{std::string(file), std::nullopt};
  const auto hosts = variable("THALWEG_PLAN_HOSTS");
  const int ranks = whole_number("THALWEG_PLAN_RANKS", 0);
  if (ranks > 0 || !hosts.empty())
    asked.for_machine = made_up(ranks, hosts, whole_number("THALWEG_PLAN_CORES", cores()));
  return asked;
}

std::string problems_as_json(const error& why) {
  std::string text;
  observe::json_writer json(text);
  json.begin_object().key("problems").begin_array();
  if (const auto* const job = dynamic_cast<const invalid_job*>(&why)) {
    for (const auto& p : job->problems()) json.value(p);
  } else {
    json.value(why.what());
  }
  json.end_array().end_object();
  return text += '\n';
}

bool profiled(std::unique_ptr<run_state>& job, int rank) {
  constexpr double most = 86'400;
  constexpr const char* name = "THALWEG_PROFILE";
  const auto asked = variable(name);
  if (asked.empty()) return false;
  if (rank > 0) return true;
  const auto colon = asked.find(':');
  const auto file = colon == std::string_view::npos ? std::string_view() : asked.substr(colon + 1);
  if (file.empty()) throw error("THALWEG_PROFILE: give the seconds and a file, as in 2:report.json");
  const std::chrono::duration<double> seconds(number_in(name, asked.substr(0, colon), 0.0, most));
  auto engine = any_policy(sequential{}).make(std::move(job));
  engine->start(true);
  execution going_on(std::move(engine));
  std::mutex lock;
  std::condition_variable_any over;
  const std::jthread clock([&](const std::stop_token& early) {
    std::unique_lock hold(lock);
    over.wait_for(hold, early, seconds, [] { return false; });
    going_on.stop();
  });
  write_whole(std::string(file), going_on.wait().to_json() + "\n");
  return true;
}

void write_whole(const std::string& file, std::string_view text) {
  stages::atomic_file out(file, false);
  out.write(text);
  out.commit();
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
