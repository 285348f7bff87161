#include <thalweg/adapt/planner.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

struct entry {
  std::string_view name;
  planner::function (*begin)();
};

constexpr std::array all{
    entry{"thalweg", thalweg_planner},
    entry{"mpr", mpr_planner},
};

}  // namespace

planner::planner(const std::string& name) : name_(name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const entry& e) { return e.name == name; });
  if (found == all.end()) {
    std::string text = "there is no planner '" + name + "': it must be one of";
    for (const auto& known : names()) text += " " + known;
    throw std::invalid_argument(text);
  }
  begin_ = found->begin;
}

std::vector<std::string> planner::names() {
  std::vector<std::string> of;
  for (const auto& e : all) of.emplace_back(e.name);
  return of;
}

}  // namespace THALWEG_NAMESPACE::adaptation
