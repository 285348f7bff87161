// What a controller outside the program asks for.
#include <chrono>
#include <cstddef>
#include <optional>

#include "../../src/adapt/controller_reply.hpp"
#include "adapt/stage.hpp"
#include "fuzz/fuzz.hpp"

namespace adaptation = thalweg::adaptation;

std::vector<std::string> fuzz::seeds() {
  return {
      R"({"v":1,"seq":5,"replicas":{"compress":8},"batch":{"collect":{"count":64,"interval_ms":5}}})",
      R"({"v":1,"seq":6,"hold":true})", R"({"v":1,"seq":7,"batch":{"collect":{"bytes":1e6}},"goal":{}})",
      R"({"v":1,"seq":8,"credits":{"compress":4},"ranks":{"wanted":2},"run_length_us":50,"message_bytes":9})"};
}

void fuzz::read(const std::string& input) {
  adaptation::window shown;
  shown.stages = {stage("compress", {}, 2, 16), stage("collect", {0})};
  shown.stages[0].credits = 3;
  shown.stages[1].batch = thalweg::batch_limits{.items = 8};
  shown.ranks.resize(3);
  shown.run_length = std::chrono::nanoseconds(0);
  shown.message_bytes = 4096;
  const auto reply = adaptation::read_reply(input, shown, 4);
  expect(reply.ack.find('\n') == reply.ack.size() - 1, "an answer is not one line");
  expect(reply.taken ? reply.seq > 4 : reply.wanted.none(), "something counts that is not taken");
  for (const auto& one : reply.wanted.replicas)
    expect(one.stage == "compress" && one.replicas >= 1 && one.replicas <= 16, "replicas beyond the bounds");
  for (const auto& one : reply.wanted.batches)
    expect(one.stage == "collect" && one.limits != thalweg::batch_limits{} && one.limits.items >= 0 &&
               one.limits.bytes >= 0 && one.limits.interval.count() >= 0,
           "a batch without limits");
  for (const auto& one : reply.wanted.credits)
    expect(one.stage == "compress" && one.runs >= 0 && one.runs <= 1024, "credits beyond the bounds");
  if (const auto n = reply.wanted.ranks) expect(*n >= 1 && *n <= 3, "ranks beyond the bounds");
  if (const auto t = reply.wanted.run_length)
    expect(t->count() == 0 || (t->count() >= 1'000 && t->count() <= 500'000),
           "a run length beyond the bounds");
  expect(reply.wanted.message_bytes != std::optional<std::size_t>(0), "messages without room");
}
