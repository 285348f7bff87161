#include "control.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace THALWEG_NAMESPACE::live {

namespace {

constexpr std::string_view replicas_path = "/api/replicas";

using order = std::pair<std::string_view, void (thalweg::execution::*)()>;
constexpr auto orders = std::to_array<order>({{"/api/pause", &thalweg::execution::pause},
                                              {"/api/resume", &thalweg::execution::resume},
                                              {"/api/stop", &thalweg::execution::stop},
                                              {"/api/cancel", &thalweg::execution::cancel}});

// Throws thalweg::error if the body does not say what is to be done.
std::function<void(thalweg::execution&)> resize_by(std::string_view body) {
  const auto said = nlohmann::json::parse(body, nullptr, false);
  const auto member = [&](const char* name) {
    return said.is_object() ? said.value(name, nlohmann::json()) : nlohmann::json();
  };
  const auto stage = member("stage"), replicas = member("replicas");
  if (!stage.is_string() || !replicas.is_number_integer())
    throw error(R"(write {"stage": "its name", "replicas": 4}, with a whole number)");
  // A number beyond all limits is one of the largest, or of the smallest.
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const auto number = replicas.is_number_unsigned() && replicas.get<std::uint64_t>() > std::uint64_t{most}
                          ? most
                          : std::clamp<std::int64_t>(replicas.get<std::int64_t>(), -most, most);
  return [name = stage.get<std::string>(), number](thalweg::execution& run) {
    run.set_replicas(name, static_cast<int>(number));
  };
}

}  // namespace

bool is_control(std::string_view path) {
  return has_body(path) || std::ranges::find(orders, path, &order::first) != orders.end();
}

bool has_body(std::string_view path) {
  return path == replicas_path;
}

outcome change(sampler& runs, std::string_view path, std::string_view body) {
  try {
    std::function<void(thalweg::execution&)> what;
    if (path == replicas_path) {
      what = resize_by(body);
    } else {
      what = std::ranges::find(orders, path, &order::first)->second;
    }
    if (!runs.control(what)) return {409, "no run goes on"};
    return {};
  } catch (const error& e) {
    return {400, e.what()};
  }
}

}  // namespace THALWEG_NAMESPACE::live
