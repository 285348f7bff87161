#include <thalweg/model/component.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/model/frame.hpp>
#include <thalweg/model/naming.hpp>
#include <thalweg/model/type_name.hpp>
#include <thalweg/observe/clock.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::model {

// Not in the header: it would be compiled anew for every job.
stage_info::stage_info() noexcept = default;
stage_info::stage_info(const stage_info& other) = default;
stage_info::stage_info(stage_info&& other) noexcept = default;
stage_info& stage_info::operator=(const stage_info& other) = default;
stage_info& stage_info::operator=(stage_info&& other) noexcept = default;
stage_info::~stage_info() = default;

stage_info& add_stage(std::vector<stage_info>& infos, naming& names, const char* pattern,
                      const options& opts) {
  auto& info = infos.emplace_back();
  info.pattern = pattern;
  info.opts = opts;
  info.name = names.stage(opts.name, pattern);
  return info;
}

std::int64_t context::now() const {
  return virtual_now_ns != nullptr ? virtual_now_ns->load(std::memory_order_relaxed) : observe::now_ns();
}

void claim_failure(std::size_t stage) {
  try {
    throw;
  } catch (const stage_failure&) {
    throw;
  } catch (const cancelled&) {
    throw;
  } catch (...) {
    throw stage_failure{stage, std::current_exception()};
  }
}

std::unique_ptr<pipe::chunk_base> component::make_states(std::size_t) const {
  return nullptr;
}

void component::take_states(std::size_t, std::size_t, pipe::chunk_base&) {}
void component::put_states(std::size_t, std::size_t, pipe::chunk_base&) {}

namespace {

using action = error_policy::action;

std::chrono::nanoseconds doubled(std::chrono::nanoseconds delay, int times) {
  constexpr auto longest = std::chrono::nanoseconds(std::chrono::hours(24));
  for (; times > 0 && delay < longest; --times) delay *= 2;
  return delay;
}

}  // namespace

// What the handler of `tw::decide` answers.
error_policy component::asked(std::size_t stage, context& ctx, const void* item, const std::type_info* type,
                              const stage_failure& failure, int tries) const {
  const auto& info = stages_[stage];
  error_policy answer;
  attribute(stage, [&] {
    ctx.one_at_a_time([&] {
      answer = info.opts.on_error.decider()({info.name, item, type, failure.cause, tries});
    });
    auto problem = answer.problem();
    if (problem.empty() && answer.last() == action::decide) {
      problem = "it cannot answer tw::decide";
    } else if (problem.empty() && answer.last() == action::dead_letter &&
               (item == nullptr || *answer.handled_type() != *type)) {
      problem = "tw::dead_letter takes " + type_name(*answer.handled_type()) + ", but " +
                (item == nullptr ? "there is no item" : "the item is " + type_name(*type));
    }
    if (!problem.empty())
      throw error("the answer of the handler of tw::decide is not possible: " + problem +
                  " (the error was: " + message_of(failure.cause) + ")");
  });
  return answer;
}

bool component::attempt(std::size_t stage, context& ctx, const void* item, const std::type_info* type,
                        function_ref<void()> f) {
  const auto& given = stages_[stage].opts.on_error;
  const bool asks = given.last() == action::decide;
  auto& t = ctx.tallies[stage];
  error_policy answer;
  const auto* policy = &given;  // or the answer, where one is asked for
  int left = given.retries();
  int since = 0;  // so many tries were before that
  for (int tries = 1;; ++tries) {
    try {
      f();
      return true;
    } catch (const stage_failure& failure) {
      ++t.errors;
      if (failure.final) throw;
      const bool again = left > 0 && !failure.sent;
      // Asked anew when the tries are used up, unless the answer has said what follows them.
      if (!again && asks && (policy == &given || policy->last() == action::stop)) {
        answer = asked(stage, ctx, item, type, failure, tries);
        policy = &answer;
        left = answer.retries();
        since = tries - 1;
      }
      if (left > 0 && !failure.sent) {
        --left;
        ctx.back_off(doubled(policy->delay(), tries - since - 1));
        ++t.retries;
      } else if (policy->last() == action::skip) {
        ++t.skipped;
        return false;
      } else if (policy->last() == action::dead_letter && item != nullptr) {
        attribute(stage,
                  [&] { ctx.one_at_a_time([&] { policy->dead_letter_handler()(item, failure.cause); }); });
        ++t.dead_lettered;
        return false;
      } else {
        throw;
      }
    }
  }
}

void component::forgive(std::size_t stage, context& ctx, const stage_failure& failure) {
  const auto& policy = stages_[stage].opts.on_error;
  const bool ends =
      failure.final || policy.plain() ||
      (policy.last() == action::decide && asked(stage, ctx, nullptr, nullptr, failure, 1).plain());
  if (ends) throw failure;
  ++ctx.tallies[stage].errors;
}

void count_items(range r, context& ctx, const stage_kinds& kinds, const std::uint64_t* passed,
                 std::uint64_t in, std::size_t failed) {
  for (std::size_t i = r.first; i < r.last; ++i) {
    auto& t = ctx.tallies[i];
    const bool is_source = i == 0 && kinds.has_source;
    if (!is_source) t.in += in;
    if (failed == i) {
      ++t.errors;
      if (kinds.one_to_one[i] && !is_source) --in;
    }
    if (!kinds.one_to_one[i] && !is_source) in = passed[i - r.first];
    if (i + 1 < r.last || !kinds.has_sink) t.out += in;
  }
}

void component::take_names(const std::vector<stage_info>& named) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].name = named[i].name;
}

}  // namespace THALWEG_NAMESPACE::model
