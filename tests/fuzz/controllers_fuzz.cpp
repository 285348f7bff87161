// What a controller outside the program asks for.
#include "../../src/adapt/controller_reply.hpp"
#include "adapt/stage.hpp"
#include "fuzz/fuzz.hpp"

namespace adaptation = thalweg::adaptation;

std::vector<std::string> fuzz::seeds() {
  return {R"({"v":1,"seq":5,"replicas":{"compress":8},"batch":{"collect":{"count":64,"interval_ms":5}}})",
          R"({"v":1,"seq":6,"hold":true})", R"({"v":1,"seq":7,"batch":{"collect":{"bytes":1e6}},"goal":{}})"};
}

void fuzz::read(const std::string& input) {
  adaptation::window shown;
  shown.stages = {stage("compress", {}, 2, 16), stage("collect", {0})};
  shown.stages[1].batch = thalweg::batch_limits{.items = 8};
  const auto reply = adaptation::read_reply(input, shown, 4);
  expect(reply.ack.find('\n') == reply.ack.size() - 1, "an answer is not one line");
  expect(reply.taken ? reply.seq > 4 : reply.wanted.none(), "something counts that is not taken");
  for (const auto& one : reply.wanted.replicas)
    expect(one.stage == "compress" && one.replicas >= 1 && one.replicas <= 16, "replicas beyond the bounds");
  for (const auto& one : reply.wanted.batches)
    expect(one.stage == "collect" && one.limits != thalweg::batch_limits{} && one.limits.items >= 0 &&
               one.limits.bytes >= 0 && one.limits.interval.count() >= 0,
           "a batch without limits");
}
