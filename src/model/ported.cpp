#include <thalweg/model/gate.hpp>
#include <thalweg/model/ported.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

ported::ported(stage& s, stage_info info)
    : stage_(s),
      chooses_(s.inputs().empty() || std::any_of(s.inputs().begin(), s.inputs().end(),
                                                 [](const auto* p) { return !p->pushed(); })) {
  stages_.push_back(std::move(info));
  stage_.in_run_.store(true, std::memory_order_release);
}

ported::~ported() {
  if (run_over_) return;  // the stage may be gone
  stage_.context_ = nullptr;
  stage_.in_run_.store(false, std::memory_order_release);
}

// A function of the stage is being called, by this thread: only it takes and sends.
class ported::call {
 public:
  call(stage& s, context& ctx) noexcept : stage_(s) {
    s.context_ = &ctx;
    s.caller_.store(this_thread(), std::memory_order_relaxed);
  }
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call() { stage_.caller_.store(nullptr, std::memory_order_relaxed); }

 private:
  stage& stage_;
};

void ported::run_over() {
  if (std::exchange(run_over_, true)) return;
  stage_.context_ = nullptr;
  stage_.in_run_.store(false, std::memory_order_release);
  if (auto* const g = gateway()) g->run_over();
}

void ported::start(range, std::size_t) {
  stage_.over_ = false;
  stage_.context_ = nullptr;
  for (auto* p : inputs()) p->reset();
  attribute(0, [&] { stage_.on_start(); });
}

void ported::receive(std::size_t port, context& ctx, pipe::chunk_base& in) {
  const call now(stage_, ctx);
  auto& from = *inputs()[port];
  if (stages_[0].opts.on_error.plain()) return from.deliver(ctx, in);
  from.deliver(ctx, in, [&](const void* item, function_ref<void()> f) {
    attempt(0, ctx, item, &from.type(), [&] { repeatable(ctx, f); });
  });
}

// Calls `f`, which calls the stage. What that has taken and sent is gone: such a call cannot be repeated.
void ported::repeatable(context& ctx, function_ref<void()> f) {
  const auto moved = [&] {
    auto n = ctx.tallies[0].in;
    for (const auto* p : outputs()) n += p->sent();
    return n;
  };
  const auto before = moved();
  try {
    attribute(0, f);
  } catch (stage_failure& failure) {
    failure.sent = moved() != before;
    throw;
  }
}

void ported::run(context& ctx) {
  const call now(stage_, ctx);
  const auto call_it = [&] { stage_.on_run(); };
  if (stages_[0].opts.on_error.plain()) return attribute(0, call_it);
  attempt(0, ctx, nullptr, nullptr, [&] { repeatable(ctx, call_it); });
}

void ported::finish(std::size_t, std::size_t, context& ctx, pipe::chunk_base*) {
  const call now(stage_, ctx);
  attribute(0, [&] { stage_.on_end(); });
  for (auto* p : inputs())
    p->reset();  // what is left of the last run of items need not live as long as the graph
}

std::size_t ported::process(range, std::size_t, context&, pipe::chunk_base&, pipe::chunk_base*) {
  return 0;
}

produced ported::produce(range, context&, std::size_t, pipe::chunk_base*) {
  return {0, true};
}

std::int64_t ported::deadline(std::size_t, std::size_t) const {
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace THALWEG_NAMESPACE::model
