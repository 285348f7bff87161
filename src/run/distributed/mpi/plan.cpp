#include "plan.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/json.hpp>
#include <thalweg/stages/atomic_file.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "stage_edges.hpp"

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
    throw error(std::string(name) + ": '" + std::string(text) + "' is not a number that makes sense here");
  return n;
}

int whole_number(const char* name, int otherwise) {
  constexpr int most = 1 << 20;
  const auto text = variable(name);
  return text.empty() ? otherwise : number_in(name, text, 1, most);
}

const char* travels(const std::vector<dataflow::place_of>& from, const std::vector<dataflow::place_of>& to) {
  if (from.size() == 1 && to.size() == 1 && from.front().rank == to.front().rank) return "no";
  const bool meet = std::any_of(from.begin(), from.end(), [&](const auto& a) {
    return std::any_of(to.begin(), to.end(), [&](const auto& b) { return a.rank == b.rank; });
  });
  return meet ? "partly" : "yes";
}

// Seconds of work that the ranks have for an item of the source, each divided by its workers.
std::vector<double> shares(const std::vector<double>& loads, const machine& on,
                           const dataflow::mapping& places) {
  std::vector<double> all(on.ranks.size());
  for (std::size_t s = 0; s < places.size(); ++s) {
    const int replicas = dataflow::replicas_in_all(places[s]);
    for (const auto& p : places[s])
      all[static_cast<std::size_t>(p.rank)] += loads[s] * p.replicas / replicas / on.workers(p.rank);
  }
  return all;
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

std::string plan_as_json(const run_state& run, const mpi_options& how, const machine& on,
                         dataflow::mapping places) {
  // Ranks that may get replicas later have none yet.
  for (auto& at : places) std::erase_if(at, [](const auto& p) { return p.replicas == 0; });
  std::vector<double> loads(run.stages.size());
  for (std::size_t s = 0; s < loads.size(); ++s) {
    for (const auto& c : how.costs) {
      if (c.stage == run.stages[s].info->name) loads[s] += c.each.count() * c.items;
    }
  }
  double pace = 0;
  std::string text;
  observe::json_writer json(text);
  json.begin_object().key("ranks").begin_array();
  const auto work = shares(loads, on, places);
  for (int r = 0; r < on.size(); ++r) {
    json.begin_object().member("rank", r).member("host", on.host(r)).member("workers", on.workers(r));
    json.end_object();
    pace = std::max(pace, work[static_cast<std::size_t>(r)]);
  }
  json.end_array().key("stages").begin_array();
  for (std::size_t s = 0; s < places.size(); ++s) {
    const auto& info = *run.stages[s].info;
    int replicas = 0;
    json.begin_object().member("name", info.name).member("pattern", info.pattern);
    json.member("farm", info.farm >= 0).key("places").begin_array();
    for (const auto& p : places[s]) {
      json.begin_object().member("rank", p.rank).member("replicas", p.replicas).end_object();
      replicas += p.replicas;
    }
    json.end_array().member("replicas", replicas).member("seconds_per_item", loads[s]).end_object();
    pace = std::max(pace, loads[s] / replicas);
  }
  json.end_array().key("ways").begin_array();
  for (const auto& w : stage_channels_of(run)) {
    json.begin_object()
        .member("from", run.stages[w.from].info->name)
        .member("to", run.stages[w.to].info->name);
    json.member("items", model::type_name(*w.items)).member("travels", travels(places[w.from], places[w.to]));
    json.end_object();
  }
  json.end_array().member("seconds_per_item", pace).end_object();
  return text += '\n';
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
  if (file.empty()) throw error("THALWEG_PROFILE: say how many seconds, and a file: 2:report.json");
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
