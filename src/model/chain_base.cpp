#include <thalweg/model/chain_base.hpp>
#include <thalweg/model/frame.hpp>

#include <limits>
#include <utility>

namespace THALWEG_NAMESPACE::model {

void replicas::resize(std::size_t n) {
  ops_.resize(n);
}

void replicas::set(std::size_t replica, owned op) {
  ops_.at(replica) = std::move(op);
}

chain_base::chain_base(std::vector<stage_info>&& infos, const chain_tables& of)
    : ops_(of.hooks.size()), of_(of) {
  stages_ = std::move(infos);
}

bool chain_base::guards(range r) const {
  return r.last == r.first + 1 && !stages_[r.first].opts.on_error.plain();
}

std::vector<range> chain_base::compiled() const {
  std::vector<range> all;
  all.reserve(of_.loops.size());
  for (const auto& loop : of_.loops) all.push_back(loop.stages);
  return all;
}

void chain_base::prepare(std::size_t stage, std::size_t replicas) {
  ops_[stage].resize(replicas);
}

void chain_base::start(range r, std::size_t replica) {
  for (auto i = r.first; i < r.last; ++i) {
    attribute(i, [&] {
      const auto& its = of_.hooks[i];
      ops_[i].set(replica, its.make_op(*this));
      if (its.start != nullptr) its.start(ops_[i].at(replica));
    });
  }
}

std::size_t chain_base::process(range r, std::size_t replica, context& ctx, pipe::chunk_base& in,
                                pipe::chunk_base* out) {
  if (guards(r)) return of_.guarded[r.first](*this, replica, ctx, in, out);
  if (ctx.paced || ctx.ranked) return of_.careful(*this, r, replica, ctx, in, out);
  for (const auto& loop : of_.loops) {
    if (loop.stages == r) return loop.run(*this, replica, ctx, in, out);
  }
  return 0;
}

produced chain_base::produce(range r, context& ctx, std::size_t n, pipe::chunk_base* out) {
  if (of_.pull_guarded == nullptr) return {};  // it has no source
  if (guards(r)) return of_.pull_guarded(*this, ctx, n, out);
  if (ctx.paced) return of_.careful_pull(*this, r.last, ctx, n, out);
  for (const auto& loop : of_.loops) {
    if (loop.stages == r) return loop.pull(*this, ctx, n, out);
  }
  return {};
}

void chain_base::finish(std::size_t stage, std::size_t replica, context& ctx, pipe::chunk_base* out) {
  const auto call = of_.hooks[stage].finish;
  auto* const op = ops_[stage].get(replica);
  if (call != nullptr && op != nullptr) call(op, ctx, out);
}

std::int64_t chain_base::deadline(std::size_t stage, std::size_t replica) const {
  const auto when = of_.hooks[stage].deadline;
  const auto* const op = ops_[stage].get(replica);
  return when != nullptr && op != nullptr ? when(op) : std::numeric_limits<std::int64_t>::max();
}

void chain_base::on_time(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) {
  const auto call = of_.hooks[stage].on_time;
  if (call == nullptr) return;
  try {
    call(ops_[stage].get(replica), ctx, out);
  } catch (const stage_failure& failure) {
    forgive(stage, ctx, failure);
  }
}

std::unique_ptr<pipe::chunk_base> chain_base::make_chunk(std::size_t stage) const {
  const auto make = of_.hooks[stage].make_chunk;
  return make != nullptr ? make() : nullptr;
}

void chain_base::divide(std::size_t stage, pipe::chunk_base& in,
                        std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
                        std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) const {
  if (const auto call = of_.hooks[stage].divide) call(*this, in, parts, first, who, places);
}

void chain_base::take_times(std::size_t stage, pipe::chunk_base* in, std::int64_t now, stream_clock& clock,
                            std::vector<moment>& moments) const {
  const auto call = of_.hooks[stage].take_times;
  if (call == nullptr) return;
  attribute(stage, [&] { call(*this, in, now, clock, moments); });
}

void chain_base::catch_up(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) {
  if (const auto call = of_.hooks[stage].catch_up) call(ops_[stage].get(replica), ctx, out);
}

void chain_base::give_late(std::size_t stage, pipe::chunk_base& items) {
  const auto call = of_.hooks[stage].give_late;
  if (call == nullptr) return;
  attribute(stage, [&] { call(*this, items); });
}

std::unique_ptr<pipe::chunk_base> chain_base::make_states(std::size_t stage) const {
  const auto make = of_.hooks[stage].make_states;
  return make != nullptr ? make() : nullptr;
}

void chain_base::take_states(std::size_t stage, std::size_t replica, pipe::chunk_base& into) {
  if (const auto move = of_.hooks[stage].take_states) move(ops_[stage].at(replica), into);
}

void chain_base::put_states(std::size_t stage, std::size_t replica, pipe::chunk_base& from) {
  if (const auto move = of_.hooks[stage].put_states) move(ops_[stage].at(replica), from);
}

}  // namespace THALWEG_NAMESPACE::model
