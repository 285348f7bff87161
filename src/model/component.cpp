#include <thalweg/model/chain.hpp>
#include <thalweg/model/naming.hpp>
#include <thalweg/observe/clock.hpp>

#include <utility>

namespace thalweg::model {

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

bool component::attempt(std::size_t stage, context& ctx, const void* item, function_ref<void()> f) {
  const auto& policy = stages_[stage].opts.on_error;
  auto& t = ctx.tallies[stage];
  auto delay = policy.delay();
  for (int tries = 0;; ++tries) {
    try {
      f();
      return true;
    } catch (const stage_failure& failure) {
      ++t.errors;
      if (failure.final) throw;
      if (tries < policy.retries()) {
        ++t.retries;
        ctx.back_off(delay);
        delay *= 2;
      } else if (policy.last() == error_policy::action::skip) {
        ++t.skipped;
        return false;
      } else if (policy.last() == error_policy::action::dead_letter && item != nullptr) {
        frame<mode::plain>::attribute(stage,
                                      [&] { ctx.bury(policy.dead_letter_handler(), item, failure.cause); });
        ++t.dead_lettered;
        return false;
      } else {
        throw;
      }
    }
  }
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

}  // namespace thalweg::model
