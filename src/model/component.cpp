#include <thalweg/model/chain.hpp>
#include <thalweg/model/naming.hpp>
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

void replicas::resize(std::size_t n) {
  ops_.resize(n);
}

void replicas::set(std::size_t replica, owned op) {
  ops_.at(replica) = std::move(op);
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

bool component::attempt(std::size_t stage, context& ctx, const void* item, const std::type_info* type,
                        function_ref<void()> f) {
  const auto& info = stages_[stage];
  const auto& policy = info.opts.on_error;
  auto& t = ctx.tallies[stage];
  error_policy answer;
  int until = policy.retries();  // so many failed tries are followed by another
  int since = 0;                 // of those that have come before the last answer
  for (int tries = 1;; ++tries) {
    try {
      f();
      return true;
    } catch (const stage_failure& failure) {
      ++t.errors;
      if (failure.final) throw;
      const auto* chosen = &policy;
      if ((tries > until || failure.sent) && policy.last() == action::decide) {
        frame<mode::plain>::attribute(stage, [&] {
          ctx.one_at_a_time([&] {
            answer = policy.decider()({info.name, item, type, failure.cause, tries});
          });
        });
        chosen = &answer;
        since = tries - 1;
        until = since + answer.retries();
      }
      if (tries <= until && !failure.sent) {
        ++t.retries;
        ctx.back_off(doubled(until > policy.retries() ? answer.delay() : policy.delay(), tries - since - 1));
      } else if (chosen->last() == action::skip) {
        ++t.skipped;
        return false;
      } else if (chosen->last() == action::dead_letter && item != nullptr && chosen->dead_letter_handler() &&
                 *chosen->handled_type() == *type) {
        frame<mode::plain>::attribute(
            stage, [&] { ctx.one_at_a_time([&] { chosen->dead_letter_handler()(item, failure.cause); }); });
        ++t.dead_lettered;
        return false;
      } else {
        throw;
      }
    }
  }
}

void component::forgive(std::size_t stage, context& ctx, const stage_failure& failure) {
  const auto& info = stages_[stage];
  const auto& policy = info.opts.on_error;
  auto last = failure.final ? action::stop : policy.last();
  if (last == action::decide) {
    frame<mode::plain>::attribute(stage, [&] {
      ctx.one_at_a_time([&] {
        last = policy.decider()({info.name, nullptr, nullptr, failure.cause, 1}).last();
      });
    });
  }
  if (last == action::stop) throw failure;
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
