#include "stage_settings.hpp"

#include <thalweg/flow/pace.hpp>
#include <thalweg/observe/text.hpp>
#include <thalweg/pattern/batch.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

struct named_stage {
  model::component* component;
  std::size_t number;
  [[nodiscard]] model::stage_info& info() const { return component->info_at(number); }
  [[nodiscard]] bool goes_with(const named_stage& other) const {
    if (component != other.component) return false;
    return number == other.number || (info().farm >= 0 && info().farm == other.info().farm);
  }
};
using stage_list = std::vector<named_stage>;

stage_list stages_of(const model::plan& job) {
  stage_list all;
  for (const auto& c : job.components) {
    for (std::size_t i = 0; i < c->stages().size(); ++i) all.push_back({c.get(), i});
  }
  return all;
}

// By the whole path, or the last part of it, or the name of what is around them.
stage_list named(const stage_list& all, std::string_view name) {
  const auto inner = observe::joined({"/", name});
  const auto scope = observe::joined({name, "/"});
  const auto inner_scope = observe::joined({"/", scope});
  const auto those = [&](auto&& fits) {
    stage_list some;
    for (const auto& s : all) {
      if (fits(std::string_view(s.info().name))) some.push_back(s);
    }
    return some;
  };
  auto found = those([&](std::string_view path) { return path == name; });
  if (found.empty()) found = those([&](std::string_view path) { return path.ends_with(inner); });
  if (found.empty())
    found = those([&](std::string_view path) {
      return path.starts_with(scope) || path.find(inner_scope) != std::string_view::npos;
    });
  return found;
}

std::string listed(const stage_list& some) {
  std::string text;
  for (const auto& s : some) text.append(text.empty() ? "" : ", ").append(s.info().name);
  return text;
}

// What a rate is for.
std::string those_with_a_rate(const stage_list& all) {
  stage_list paced;
  std::copy_if(all.begin(), all.end(), std::back_inserter(paced),
               [](const auto& s) { return s.info().source.told != nullptr; });
  return paced.empty() ? "the job has no paced source" : "the paced sources are: " + listed(paced);
}

std::string those_that_are_batches(const stage_list& all) {
  stage_list batches;
  std::copy_if(all.begin(), all.end(), std::back_inserter(batches),
               [](const auto& s) { return s.info().batches != nullptr; });
  return batches.empty() ? "the job has no batch" : "the batches are: " + listed(batches);
}

std::string unknown(const stage_list& all, const stage_setting& its) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& s : all) names.push_back(s.info().name);
  const auto close = observe::closest_name(its.stage, names);
  const auto text = "there is no stage '" + its.stage + "'; ";
  if (its.rate) return text + those_with_a_rate(all);
  if (its.batch) return text + those_that_are_batches(all);
  if (!close.empty()) return text + "did you mean '" + std::string(close) + "'?";
  return text + "the stages are: " + listed(all);
}

// Sets what is given. Returns what is wrong; empty: nothing.
std::string change(const stage_list& all, const stage_setting& its) {
  const auto found = named(all, its.stage);
  if (found.empty()) return unknown(all, its);
  if (!std::all_of(found.begin(), found.end(), [&](const auto& s) { return s.goes_with(found.front()); }))
    return "'" + its.stage + "' is more than one stage; write one of: " + listed(found);
  // A farm is executed as a whole.
  stage_list together;
  std::copy_if(all.begin(), all.end(), std::back_inserter(together),
               [&](const auto& s) { return s.goes_with(found.front()); });
  auto& first = together.front().info();
  if (its.replicas != automatic && first.farm < 0)
    return "stage '" + first.name + "' is serial, so .replicas does nothing: put it into a tw::farm";
  if (its.replicas != automatic && its.replicas < 1)
    return "stage '" + first.name + "': .replicas must be at least 1, not " + std::to_string(its.replicas);
  if (its.rate && first.source.told == nullptr)
    return "stage '" + first.name + "' is no paced source, so .rate does nothing; " + those_with_a_rate(all);
  if (its.rate) first.source.told->set(*its.rate);
  if (its.batch) {
    auto& one = found.front().info();
    if (found.size() > 1) return "'" + its.stage + "' is more than one stage; write one of: " + listed(found);
    if (one.batches == nullptr)
      return "stage '" + one.name + "' is no tw::batch, so .batch does nothing; " +
             those_that_are_batches(all);
    if (const auto problem = model::problem_of(*its.batch); !problem.empty())
      return "stage '" + one.name + "': " + problem;
    one.batches->set(*its.batch);
    one.timed = one.timed || its.batch->interval.count() > 0;
  }
  if (its.capacity != automatic) first.opts.capacity = its.capacity;
  for (const auto& s : together) {
    if (its.replicas != automatic) s.info().replicas = its.replicas;
    if (!its.pin.empty()) s.info().opts.pin = its.pin;
  }
  return {};
}

}  // namespace

void apply_settings(model::plan& job, std::span<const stage_setting> settings) {
  if (!job.problems.empty() || settings.empty()) return;
  const auto all = stages_of(job);
  for (const auto& its : settings) {
    const auto where = its.from.empty() ? std::string("run_options.stages") : its.from;
    if (auto wrong = change(all, its); !wrong.empty()) job.problems.push_back(where + ": " + wrong);
  }
  if (!job.problems.empty()) return;
  job.check_options();
  for (auto& problem : job.problems) {
    // Whichever of them has said so.
    std::string where = "run_options.stages";
    for (const auto& its : settings) {
      const auto of_it = named(all, its.stage);
      const bool is_it = std::any_of(of_it.begin(), of_it.end(), [&](const auto& s) {
        return problem.starts_with("stage '" + s.info().name + "'");
      });
      if (is_it && !its.from.empty()) where = its.from;
    }
    problem.insert(0, where + ": ");
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail
