#pragma once

#include <thalweg/model/component.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// The operators of one stage, whatever their type: one per replica, made when the replica is started.
class replicas {
 public:
  struct destroyer {
    void (*destroy)(void*) noexcept = nullptr;
    void operator()(void* op) const noexcept { destroy(op); }
  };
  using owned = std::unique_ptr<void, destroyer>;

  void resize(std::size_t n);
  void set(std::size_t replica, owned op);
  /// Of a replica that has been started.
  [[nodiscard]] void* at(std::size_t replica) const noexcept { return ops_[replica].get(); }
  /// Null where that replica was never started.
  [[nodiscard]] void* get(std::size_t replica) const noexcept {
    return replica < ops_.size() ? ops_[replica].get() : nullptr;
  }

 private:
  std::vector<owned> ops_;
};

class chain_base;

/// What a stage of a chain has, as functions of its operators: null where it has no such thing. What is known
/// of types ends here: all that calls these functions is compiled once, and not for every job.
struct stage_hooks {
  using send = void (*)(void* op, context&, pipe::chunk_base* out);
  using make = std::unique_ptr<pipe::chunk_base> (*)();
  using move = void (*)(void* op, pipe::chunk_base&);

  replicas::owned (*make_op)(chain_base&) = nullptr;
  void (*start)(void* op) = nullptr;
  make make_chunk = nullptr;
  send finish = nullptr, on_time = nullptr, catch_up = nullptr;
  std::int64_t (*deadline)(const void* op) = nullptr;
  void (*divide)(const chain_base&, pipe::chunk_base& in,
                 std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
                 std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) = nullptr;
  void (*take_times)(const chain_base&, pipe::chunk_base* in, std::int64_t now, stream_clock& clock,
                     std::vector<moment>& moments) = nullptr;
  void (*give_late)(chain_base&, pipe::chunk_base& items) = nullptr;
  make make_states = nullptr;
  move take_states = nullptr, put_states = nullptr;
};

/// The loops of a chain, and the hooks of its stages.
struct chain_tables {
  using run_items = std::size_t (*)(chain_base&, std::size_t replica, context&, pipe::chunk_base& in,
                                    pipe::chunk_base* out);
  using pull_items = produced (*)(chain_base&, context&, std::size_t n, pipe::chunk_base* out);
  // A range that begins with a source has a loop that pulls, any other one a loop that runs.
  struct loop {
    range stages;
    run_items run = nullptr;
    pull_items pull = nullptr;
  };

  std::span<const stage_hooks> hooks;
  std::span<const loop> loops;
  std::span<const run_items> guarded;  ///< of each stage
  pull_items pull_guarded = nullptr;   ///< of the source
  std::size_t (*careful)(chain_base&, range, std::size_t replica, context&, pipe::chunk_base& in,
                         pipe::chunk_base* out) = nullptr;
  produced (*careful_pull)(chain_base&, std::size_t last, context&, std::size_t n,
                           pipe::chunk_base* out) = nullptr;
};

/// A line of stages as a component: what of it needs no types. `chain` has the rest.
class chain_base : public component {
 public:
  [[nodiscard]] std::vector<range> compiled() const final;
  void prepare(std::size_t stage, std::size_t replicas) final;
  void start(range r, std::size_t replica) final;
  std::size_t process(range r, std::size_t replica, context& ctx, pipe::chunk_base& in,
                      pipe::chunk_base* out) final;
  produced produce(range r, context& ctx, std::size_t n, pipe::chunk_base* out) final;
  void finish(std::size_t stage, std::size_t replica, context& ctx, pipe::chunk_base* out) final;
  [[nodiscard]] std::int64_t deadline(std::size_t stage, std::size_t replica) const final;
  void on_time(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) final;
  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_chunk(std::size_t stage) const final;
  void divide(std::size_t stage, pipe::chunk_base& in,
              std::span<const std::unique_ptr<pipe::chunk_base>> parts, std::int64_t first,
              std::vector<std::uint8_t>& who, std::span<const std::uint8_t> places) const final;
  void take_times(std::size_t stage, pipe::chunk_base* in, std::int64_t now, stream_clock& clock,
                  std::vector<moment>& moments) const final;
  void catch_up(std::size_t stage, context& ctx, pipe::chunk_base* out, std::size_t replica) final;
  void give_late(std::size_t stage, pipe::chunk_base& items) final;
  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_states(std::size_t stage) const final;
  void take_states(std::size_t stage, std::size_t replica, pipe::chunk_base& into) final;
  void put_states(std::size_t stage, std::size_t replica, pipe::chunk_base& from) final;

 protected:
  chain_base(std::vector<stage_info>&& infos, const chain_tables& of);

  std::vector<replicas> ops_;  // of each stage

 private:
  // Whether what the stage throws has a policy.
  [[nodiscard]] bool guards(range r) const;

  const chain_tables& of_;
};

}  // namespace THALWEG_NAMESPACE::model
