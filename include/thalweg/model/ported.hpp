#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/stage.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// A `tw::stage` as a component: instead of one input and one output it has ports, and the engines call it
/// through the functions below.
class ported final : public component {
 public:
  /// `s` belongs to the graph and outlives the run.
  ported(stage& s, stage_info info);
  ~ported() override;

  [[nodiscard]] const std::vector<input_port*>& inputs() const noexcept { return stage_.inputs(); }
  [[nodiscard]] const std::vector<output_port*>& outputs() const noexcept { return stage_.outputs(); }
  /// Whether its `on_run` is to be called: it has no inputs, or reads one of them itself.
  [[nodiscard]] bool chooses() const noexcept { return chooses_; }
  /// It has said that it wants, or sends, nothing more.
  [[nodiscard]] bool over() const noexcept { return stage_.over_; }

  /// What it has to do with the order behind branches.
  [[nodiscard]] order_role role() const noexcept { return stage_.role(); }
  [[nodiscard]] bool chooses_outputs() const noexcept { return stage_.chooses_outputs(); }
  /// A split gives ranks from now on. `nested`: its items come with ranks of their own, which the ordered
  /// merge restores.
  void give_ranks(bool nested) { stage_.give_ranks(nested); }
  /// An ordered merge restores the order of this split. `one_way_each`: each of its inputs comes from a
  /// branch of its own.
  void follow(ported& split, bool nested, bool one_way_each) {
    stage_.follow(*split.stage_.giver(), nested, one_way_each);
  }
  /// Of a split that gives ranks, and of an ordered merge: below this rank it will send nothing any more.
  [[nodiscard]] std::int64_t upto() const { return stage_.upto(); }

  /// Ports that are opened and closed while the graph runs; null if it cannot have any.
  [[nodiscard]] model::gateway* gateway() const noexcept { return stage_.gateway(); }

  /// The run is over, however it has ended: the stage may take part in the next one.
  void run_over();

  void progressed(std::int64_t upto) { stage_.progressed(upto); }

  /// Gives the items to `on_item` of the port.
  void receive(std::size_t port, context& ctx, pipe::chunk_base& in);
  /// Calls `on_run` once.
  void run(context& ctx);

  [[nodiscard]] std::vector<range> compiled() const override { return {{0, 1}}; }
  void prepare(std::size_t, std::size_t) override {}
  void start(range r, std::size_t replica) override;
  std::size_t process(range, std::size_t, context&, pipe::chunk_base&, pipe::chunk_base*) override;
  produced produce(range, context&, std::size_t, pipe::chunk_base*) override;
  void finish(std::size_t stage, std::size_t replica, context& ctx, pipe::chunk_base* out) override;
  [[nodiscard]] std::int64_t deadline(std::size_t, std::size_t) const override;
  void on_time(std::size_t, context&, pipe::chunk_base*, std::size_t) override {}
  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_chunk(std::size_t port) const override {
    return outputs()[port]->make_chunk();
  }
  void divide(std::size_t, pipe::chunk_base&, std::span<const std::unique_ptr<pipe::chunk_base>>,
              std::int64_t, std::vector<std::uint8_t>&, std::span<const std::uint8_t>) const override {}
  void take_times(std::size_t, pipe::chunk_base*, std::int64_t, stream_clock&,
                  std::vector<moment>&) const override {}
  void catch_up(std::size_t, context&, pipe::chunk_base*, std::size_t) override {}
  void give_late(std::size_t, pipe::chunk_base&) override {}
  [[nodiscard]] ported* ports() noexcept override { return this; }

 private:
  class call;
  void repeatable(context& ctx, function_ref<void()> f);

  stage& stage_;
  const bool chooses_;
  bool run_over_ = false;
};

}  // namespace THALWEG_NAMESPACE::model
