#include <thalweg/model/naming.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::model {

naming::naming() : scopes_(1) {}
naming::~naming() = default;

// Names belong to the innermost scope that has a name of its own.
naming::scope& naming::current() {
  auto it = scopes_.rbegin();
  while (it->transparent) ++it;
  return *it;
}

std::string naming::stage(const std::string& given, std::string_view pattern) {
  auto& here = current();
  const auto position = here.position++;
  std::string name = given_or_suggested(given);
  if (name.empty()) {
    name =
        std::string(pattern) + (pattern == "source" && position == 0 ? "" : "-" + std::to_string(position));
  }
  ++here.used[name];
  check(here, name);
  return here.prefix + name;
}

void naming::enter(const std::string& given) {
  const auto name = given_or_suggested(given);
  if (name.empty()) {
    scopes_.emplace_back().transparent = true;
    return;
  }
  auto& here = current();
  const auto times = ++here.scopes[name];
  ++here.position;
  if (times == 1) check(here, name);
  scope inner;
  inner.prefix = here.prefix + name + (times > 1 ? "#" + std::to_string(times) : "") + "/";
  scopes_.push_back(std::move(inner));
}

void naming::leave() {
  scopes_.pop_back();
}

void naming::suggest(const std::string& name) {
  if (!name.empty()) suggested_ = name;
}

std::string naming::given_or_suggested(const std::string& given) {
  auto suggested = std::exchange(suggested_, {});
  return given.empty() ? suggested : given;
}

void naming::check(const scope& here, const std::string& name) {
  if (name.find('/') != std::string::npos) {
    problem("'" + here.prefix + name + "': a name may not contain '/', which separates scopes");
  }
  const auto stages = here.used.find(name);
  const auto times = stages == here.used.end() ? 0 : stages->second;
  if (times > 1 || (times == 1 && here.scopes.count(name) != 0)) {
    problem("'" + here.prefix + name + "': this name is given twice in one scope");
  }
}

}  // namespace THALWEG_NAMESPACE::model
