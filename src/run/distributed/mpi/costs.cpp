// What the stages of a run have cost, out of its report.
#include <thalweg/model/errors.hpp>
#include <thalweg/run/mpi.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include <nlohmann/json.hpp>

namespace THALWEG_NAMESPACE {

namespace {

struct counted_stage {
  std::string name;
  bool source = false;
  std::uint64_t items = 0;
  double service_ns = 0;
};

// No count, no time: whatever it says, it is no report.
struct not_reported {};

std::uint64_t count_in(const nlohmann::json& number) {
  if (!number.is_number_unsigned()) throw not_reported{};
  return number.get<std::uint64_t>();
}

double service_in(const nlohmann::json& stage) {
  const auto ns = stage.value("service_ns_per_item", 0.0);
  if (ns < 0) throw not_reported{};
  return ns;
}

std::vector<stage_cost> costs_of_all(const std::vector<counted_stage>& stages) {
  std::uint64_t from_source = 1;
  for (const auto& s : stages) from_source = std::max(from_source, s.source ? s.items : 0);
  std::vector<stage_cost> costs;
  costs.reserve(stages.size());
  for (const auto& s : stages)
    costs.push_back({s.name, std::chrono::duration<double>(s.service_ns * 1e-9),
                     static_cast<double>(s.items) / static_cast<double>(from_source)});
  return costs;
}

}  // namespace

std::vector<stage_cost> costs_of(const report& r) {
  std::vector<counted_stage> stages;
  for (const auto& s : r.stages())
    stages.push_back({s.name(), s.is_source(), s.items(), s.service_time().count()});
  return costs_of_all(stages);
}

std::vector<stage_cost> saved_costs(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw error("costs: cannot read '" + file + "'");
  const error none("costs: '" + file + "' is not a report: it must be the output of report::to_json");
  std::vector<counted_stage> stages;
  try {
    const auto saved = nlohmann::json::parse(in);
    for (const auto& s : saved.at("stages")) {
      const bool source = s.at("kind") == "source";
      const auto items = count_in(s.at(source ? "items_out" : "items_in"));
      stages.push_back({s.at("name").get<std::string>(), source, items, service_in(s)});
    }
  } catch (const nlohmann::json::parse_error& problem) {
    throw error("costs: '" + file + "' is not JSON from byte " + std::to_string(problem.byte) +
                " on: it must be the output of report::to_json");
  } catch (const nlohmann::json::exception&) {
    throw none;
  } catch (const not_reported&) {
    throw none;
  }
  return costs_of_all(stages);
}

}  // namespace THALWEG_NAMESPACE
