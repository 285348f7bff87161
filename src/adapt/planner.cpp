#include <thalweg/adapt/controlled_by.hpp>
#include <thalweg/adapt/planner.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "planners.hpp"

namespace THALWEG_NAMESPACE::adaptation {

namespace {

constexpr std::string_view external = "external";  // programs elsewhere, at the address behind the colon

std::vector<named_planner> all() {
  return {thalweg_planner(),          ds2_planner(), teetime_planner(), teetime_mean_planner(),
          teetime_weighted_planner(), mpr_planner(), das_planner()};
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

[[noreturn]] void refuse(std::string_view planner, const std::string& what) {
  throw std::invalid_argument("planner " + quoted(planner) + ": " + what);
}

const named_planner& found(const std::vector<named_planner>& among, std::string_view name) {
  for (const auto& p : among) {
    if (p.name == name) return p;
  }
  std::string text = "there is no planner " + quoted(name) + ": it must be one of";
  for (const auto& known : among) text.append(" ").append(known.name);
  text.append(", or ").append(external).append(":ADDRESS");
  throw std::invalid_argument(text);
}

std::string range_of(const setting& s) {
  const auto text = [](double bound) {
    return observe::number_text(bound, bound == std::floor(bound) ? 15 : 3);
  };
  return (s.whole ? "a whole number from " : "a number from ") + text(s.least) + " to " + text(s.most);
}

const setting& found(const named_planner& of, std::string_view name) {
  for (const auto& s : of.has) {
    if (s.name == name) return s;
  }
  std::string text = "it has no setting " + quoted(name) + ": there are" + (of.has.empty() ? " none" : "");
  for (const auto& s : of.has) text.append(" ").append(s.name);
  refuse(of.name, text);
}

// Nothing, if it is not one number and no more.
std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

settings read(const named_planner& of, std::string_view text) {
  settings values(of.has);
  std::vector<std::string_view> given;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto one = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);

    const auto equals = one.find('=');
    if (equals == std::string_view::npos)
      refuse(of.name, quoted(one) + " is not name=value, with a comma between two of them");
    const auto& its = found(of, one.substr(0, equals));
    if (std::find(given.begin(), given.end(), its.name) != given.end())
      refuse(of.name, std::string(its.name) + " is given twice");
    given.push_back(its.name);
    const auto value = number_of(one.substr(equals + 1));
    if (!value || *value < its.least || *value > its.most || (its.whole && *value != std::floor(*value)))
      refuse(of.name, quoted(one) + ": it must be " + range_of(its));
    values.set(its.name, *value);
  }
  return values;
}

planner controlled_from(const std::string& address) {
  if (address.empty())
    refuse(external,
           "it needs the address at which controllers find the run, as in external:unix:/tmp/run.sock");
  try {
    return controlled_by(address);
  } catch (const error& e) {
    refuse(external, e.what());
  }
}

}  // namespace

settings::settings(const std::vector<setting>& of) {
  for (const auto& s : of) values_.emplace_back(s.name, s.usual);
}

void settings::set(std::string_view name, double value) {
  for (auto& [known, its] : values_) {
    if (known == name) its = value;
  }
}

double settings::of(std::string_view name) const {
  const auto at =
      std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == name; });
  if (at == values_.end()) throw std::logic_error("a planner has no setting " + quoted(name));
  return at->second;
}

planner::planner(const std::string& name) : name_(name) {
  const auto colon = name.find(':');
  if (std::string_view(name).substr(0, colon) == external) {
    begin_ = controlled_from(colon == std::string::npos ? "" : name.substr(colon + 1)).begin_;
    return;
  }
  const auto known = all();
  const auto& its = found(known, std::string_view(name).substr(0, colon));
  const auto values =
      colon == std::string::npos ? settings(its.has) : read(its, std::string_view(name).substr(colon + 1));
  begin_ = [begin = its.begin, values] { return begin(values); };
}

std::vector<std::string> planner::names() {
  std::vector<std::string> of;
  for (const auto& p : all()) of.emplace_back(p.name);
  return of;
}

}  // namespace THALWEG_NAMESPACE::adaptation
