#include "control.hpp"

#include <thalweg/flow/rate.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace THALWEG_NAMESPACE::live {

namespace {

using action = std::function<void(thalweg::execution&)>;
using order = std::pair<std::string_view, void (thalweg::execution::*)()>;
constexpr auto orders = std::to_array<order>({{"/api/pause", &thalweg::execution::pause},
                                              {"/api/resume", &thalweg::execution::resume},
                                              {"/api/stop", &thalweg::execution::stop},
                                              {"/api/cancel", &thalweg::execution::cancel}});

// What a request says, or nothing.
nlohmann::json member(std::string_view body, const char* name) {
  const auto said = nlohmann::json::parse(body, nullptr, false);
  return said.is_object() ? said.value(name, nlohmann::json()) : nlohmann::json();
}

// A number beyond all limits is one of the largest, or of the smallest.
int number_of(const nlohmann::json& said) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(said.is_number_unsigned() && said.get<std::uint64_t>() > std::uint64_t{most}
                              ? most
                              : std::clamp<std::int64_t>(said.get<std::int64_t>(), -most, most));
}

action resize_by(std::string_view body) {
  const auto stage = member(body, "stage"), replicas = member(body, "replicas");
  if (!stage.is_string() || !replicas.is_number_integer())
    throw error(R"(write {"stage": "its name", "replicas": 4}, with a whole number)");
  return [name = stage.get<std::string>(), n = number_of(replicas)](thalweg::execution& run) {
    run.set_replicas(name, n);
  };
}

action recredit_by(std::string_view body) {
  const auto stage = member(body, "stage"), runs = member(body, "runs");
  if (!stage.is_string() || !runs.is_number_integer())
    throw error(R"(write {"stage": "its name", "runs": 4}, with a whole number)");
  return [name = stage.get<std::string>(), n = number_of(runs)](thalweg::execution& run) {
    run.set_credits(name, n);
  };
}

action spread_by(std::string_view body) {
  const auto ranks = member(body, "ranks");
  if (!ranks.is_number_integer()) throw error(R"(write {"ranks": 2}, with a whole number)");
  return [n = number_of(ranks)](thalweg::execution& run) { run.set_ranks(n); };
}

action bound_runs_by(std::string_view body) {
  const auto us = member(body, "us");
  constexpr double most = 1e9;  // far beyond what is possible
  if (!us.is_number()) throw error(R"(write {"us": 50}, or 0 for as much as the run sees fit)");
  std::chrono::nanoseconds work(std::llround(std::clamp(us.get<double>(), -most, most) * 1e3));
  if (us != 0 && work.count() == 0) work = std::chrono::nanoseconds(1);  // too short, which the run says
  return [work](thalweg::execution& run) { run.set_run_length(work); };
}

action bound_messages_by(std::string_view body) {
  const auto bytes = member(body, "bytes");
  if (!bytes.is_number_unsigned()) throw error(R"(write {"bytes": 65536}, with a whole number)");
  return [n = bytes.get<std::size_t>()](thalweg::execution& run) { run.set_message_bytes(n); };
}

action pace_by(std::string_view body) {
  const auto stage = member(body, "stage"), wanted = member(body, "rate");
  if (!stage.is_string() || !wanted.is_string())
    throw error(R"(write {"stage": "its name", "rate": "500"}, both as texts)");
  const auto text = wanted.get<std::string>();
  // It would be read here, and clients may be elsewhere.
  if (text.starts_with("trace")) throw error("the rate of a run cannot be taken from a file by a request");
  return [name = stage.get<std::string>(), wants = rate_from(text)](thalweg::execution& run) {
    run.set_rate(name, wants);
  };
}

// A limit that a request names; 0: it names none. A number beyond all limits is the largest.
std::int64_t limit_of(std::string_view body, const char* name, double unit) {
  const auto said = member(body, name);
  if (said.is_null()) return 0;
  const auto number = said.is_number() ? said.get<double>() * unit : 0;
  if (!(number >= 1) || (unit == 1 && !said.is_number_integer()))
    throw error(std::string("'") + name + "' must be a " + (unit == 1 ? "whole " : "") +
                "number above 0; leave it out for no limit");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return number < static_cast<double>(most) ? static_cast<std::int64_t>(number) : most;
}

action batch_by(std::string_view body) {
  const auto stage = member(body, "stage");
  if (!stage.is_string())
    throw error(
        R"(write {"stage": "its name", "items": 64, "bytes": 1000000, "every_ms": 10}, or some of these)");
  const batch_limits limits{.items = limit_of(body, "items", 1),
                            .bytes = limit_of(body, "bytes", 1),
                            .interval = std::chrono::nanoseconds(limit_of(body, "every_ms", 1e6))};
  return [name = stage.get<std::string>(), limits](thalweg::execution& run) { run.set_batch(name, limits); };
}

// What has a body that says how. These throw thalweg::error if it does not say what is to be done.
using change_by = std::pair<std::string_view, action (*)(std::string_view body)>;
constexpr auto changes = std::to_array<change_by>({{"/api/replicas", resize_by},
                                                   {"/api/rate", pace_by},
                                                   {"/api/batch", batch_by},
                                                   {"/api/run-length", bound_runs_by},
                                                   {"/api/ranks", spread_by},
                                                   {"/api/credits", recredit_by},
                                                   {"/api/message-bytes", bound_messages_by}});

}  // namespace

bool is_control(std::string_view path) {
  return has_body(path) || std::ranges::find(orders, path, &order::first) != orders.end();
}

bool has_body(std::string_view path) {
  return std::ranges::find(changes, path, &change_by::first) != changes.end();
}

outcome change(sampler& runs, std::string_view path, std::string_view body) {
  try {
    const auto by = std::ranges::find(changes, path, &change_by::first);
    const action what =
        by != changes.end() ? by->second(body) : std::ranges::find(orders, path, &order::first)->second;
    if (!runs.control(what)) return {409, "no run goes on"};
    return {};
  } catch (const error& e) {
    return {400, e.what()};
  }
}

}  // namespace THALWEG_NAMESPACE::live
