#include "report.hpp"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "machine.hpp"

namespace micro {

void reporter::print(const nlohmann::json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

void reporter::machine(const std::string& mpi) {
  auto line = describe_machine();
  if (!mpi.empty()) line["mpi"] = mpi;
  line["type"] = "machine";
  print(line);
}

void reporter::unavailable(const std::string& peer, const std::string& what_to_do) {
  print({{"type", "unavailable"}, {"peer", peer}, {"fix", what_to_do}});
}

void reporter::begin(const std::string& bench, const std::string& says) {
  print({{"type", "begin"}, {"bench", bench}, {"says", says}});
}

void reporter::progress(const std::string& bench, int done, int steps, const std::string& doing) {
  print({{"type", "progress"}, {"bench", bench}, {"done", done}, {"steps", steps}, {"doing", doing}});
}

void reporter::result(const row& row) {
  nlohmann::json line = {{"type", "row"},        {"bench", row.bench},     {"variant", row.variant},
                         {"peer", row.peer},     {"setting", row.setting}, {"role", row.role},
                         {"metric", row.metric}, {"unit", row.unit},       {"samples", row.samples},
                         {"items", row.items},   {"repeats", row.repeats}};
  if (!row.against.empty()) {
    line["against"] = row.against;
    line["ratios"] = row.ratios;
  }
  if (!row.parallelism.empty()) line["parallelism"] = row.parallelism;
  if (row.limit) {
    line["bar"] = {{"limit", row.limit->limit}, {"on", row.limit->on == bar_on::ratio ? "ratio" : "value"}};
  }
  print(line);
}

void reporter::wrong(const std::string& bench, const std::string& variant, const std::string& who,
                     const std::string& why) {
  wrong_ = true;
  print({{"type", "wrong"}, {"bench", bench}, {"variant", variant}, {"who", who}, {"why", why}});
}

void reporter::end(const std::string& bench, double seconds) {
  print({{"type", "end"}, {"bench", bench}, {"seconds", seconds}});
}

}  // namespace micro
