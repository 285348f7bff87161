#include "tap.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/json.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::live {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t usual_items = 10, most_items = 100;
constexpr std::size_t usual_wait_ms = 2'000, most_wait_ms = 10'000;
constexpr auto between_checks = 50ms;  // whether the server goes

std::size_t number_in(std::string_view text, std::string_view name, std::size_t usual, std::size_t most) {
  if (text.empty()) return usual;
  std::size_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size() || number > most)
    throw error(std::string(name) + " is a number up to " + std::to_string(most));
  return number;
}

// Names may have commas: of the ways to read it, the one that makes sense to the run.
look opened(thalweg::execution& run, const tap_wish& asked, const look_options& how) {
  if (asked.edge.empty() && asked.stage.empty())
    throw error("name an edge, as in edge=read,compress, or a stage, as in stage=compress");
  if (asked.edge.empty()) return run.look_into(asked.stage, how);
  std::optional<error> first;
  for (auto comma = asked.edge.find(','); comma != asked.edge.npos; comma = asked.edge.find(',', comma + 1)) {
    try {
      return run.look_into(asked.edge.substr(0, comma), asked.edge.substr(comma + 1), how);
    } catch (const error& e) {
      if (!first) first = e;
    }
  }
  throw first ? *first : error("an edge has two stages, as in edge=read,compress");
}

}  // namespace

tap_answer tapped(sampler& runs, const tap_wish& asked, const std::atomic<bool>& leaves) {
  try {
    const look_options how{.items = number_in(asked.items, "items", usual_items, most_items)};
    const auto wait = std::chrono::milliseconds(number_in(asked.within, "wait", usual_wait_ms, most_wait_ms));
    std::optional<look> opens;
    if (!runs.control([&](thalweg::execution& run) { opens = opened(run, asked, how); }))
      return {409, "no run goes on"};
    std::vector<seen_item> seen;
    const auto until = std::chrono::steady_clock::now() + wait;
    for (bool over = false; !over;) {
      const auto left = until - std::chrono::steady_clock::now();
      over = left <= 0ns || leaves.load() || opens->done();
      auto some = opens->wait_for(std::clamp<std::chrono::nanoseconds>(left, 0ns, between_checks));
      std::ranges::move(some, std::back_inserter(seen));
    }
    tap_answer said;
    observe::json_writer json(said.text);
    json.begin_object().key("edge").begin_array().value(opens->from()).value(opens->to()).end_array();
    json.key("items").begin_array();
    for (const auto& item : seen)
      json.begin_object().member("at_ns", item.at.count()).member("text", item.text).end_object();
    json.end_array().end_object();
    return said;
  } catch (const error& e) {
    return {400, e.what()};
  }
}

}  // namespace THALWEG_NAMESPACE::live
