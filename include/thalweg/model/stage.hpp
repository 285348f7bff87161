/// `stage`: a stage with ports.
#pragma once

#include <thalweg/model/port.hpp>
#include <thalweg/observe/logger.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace THALWEG_NAMESPACE {

class graph;

namespace model {
/// What a stage has to do with the order behind branches: a split gives its items ranks, which travel with
/// their results, and an ordered merge puts them back into that order.
enum class order_role : std::uint8_t { none, gives, restores };
struct graph_place;
class rank_giver;
class stage_host;
class gateway;
}  // namespace model

/// A stage with ports of its own, for graphs: derive from it, make `tw::in` and `tw::out` members, and say
/// what to do with items. Neither copied nor moved, since its ports point into it.
///
/// Items come in one of two ways. `on_item(tw::in<T>& port, T item)` is called for each item of a port as it
/// arrives: items of one port in order, those of several ports as they come. A stage that chooses reads its
/// ports in `on_run()`, which is called whenever something has changed on one of them, and again as long as
/// it takes or sends anything; it looks with `ready()`, `front()` and `ended()`, takes with `take()`, and
/// returns when it can say no more. A port it does not read pushes back on what sends to it. A stage
/// without inputs is a source: `on_run()` is called until the stage calls `end()`.
///
/// Order: that of each port. Threads: the functions of a stage are called by one thread at a time, not always
/// the same; what one call leaves behind the next one sees. Errors: what it throws ends the run and comes out
/// with the stage's name, unless `graph::configure` gives it an `.on_error`. A call that fails leaves what it
/// has sent and what it has changed: one that has sent, or an `on_run` that has taken, is not tried again.
///
/// ```cpp
/// struct splitter : tw::stage {
///   tw::in<int> numbers{this, "numbers"};
///   tw::out<int> even{this, "even"}, odd{this, "odd"};
///   void on_item(tw::in<int>&, int x) { (x % 2 == 0 ? even : odd).send(x); }
/// };
/// std::vector<int> evens, odds;
/// tw::graph g;
/// auto& split = g.add<splitter>();
/// g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, split.numbers);
/// g.connect(split.even, g.add(tw::sink(evens)).in);
/// g.connect(split.odd, g.add(tw::sink(odds)).in);
/// tw::run(g);
/// assert((evens == std::vector{2} && odds == std::vector{1, 3}));
/// ```
class stage {
 public:
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  virtual ~stage();

  /// Its path in the graph, once it has been added to one.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Its number in the graph: the same from run to run.
  [[nodiscard]] std::size_t id() const noexcept { return id_; }
  /// Writes lines that begin with the stage's name, from a level of its own on.
  [[nodiscard]] observe::logger& log() noexcept { return log_; }

  [[nodiscard]] const std::vector<model::input_port*>& inputs() const noexcept { return inputs_; }
  [[nodiscard]] const std::vector<model::output_port*>& outputs() const noexcept { return outputs_; }
  [[nodiscard]] model::input_port* find_input(std::string_view name) const noexcept;
  [[nodiscard]] model::output_port* find_output(std::string_view name) const noexcept;

  /// Called before the run; what it throws is reported as a problem of the job.
  virtual void validate() {}
  /// Called before the first item.
  virtual void on_start() {}
  /// Called while there is something to read or, for a source, to send.
  virtual void on_run();
  /// Called after the last item of all inputs; may still send.
  virtual void on_end() {}

 protected:
  stage();

  // For splits and merges.
  [[nodiscard]] virtual model::order_role role() const noexcept { return model::order_role::none; }
  /// It sends where there is room: it need not wait until all its outputs have some.
  [[nodiscard]] virtual bool chooses_outputs() const noexcept { return false; }
  virtual void give_ranks(bool) {}
  virtual void follow(model::rank_giver&, bool, bool) {}
  [[nodiscard]] virtual model::rank_giver* giver() noexcept { return nullptr; }
  /// What still comes has at least this rank.
  virtual void progressed(std::int64_t) {}
  [[nodiscard]] virtual std::int64_t upto() const { return 0; }
  /// The next item that is sent has this rank.
  void set_rank(std::int64_t rank) const noexcept { context_->rank = rank; }
  /// Ports that are opened and closed while the graph runs.
  [[nodiscard]] virtual model::gateway* gateway() noexcept { return nullptr; }
  /// The call that goes on.
  [[nodiscard]] model::context& context() const noexcept { return *context_; }
  /// That of the item in hand.
  [[nodiscard]] std::int64_t rank() const noexcept { return context_->rank; }

  /// A source has sent all its items. Any other stage wants no more: what still comes is discarded.
  void end() noexcept { over_ = true; }

 private:
  friend class graph;
  friend class model::ported;
  friend class model::stage_host;
  friend class model::port;
  friend class model::input_port;
  friend class model::output_port;

  std::string name_;
  std::size_t id_ = 0;
  std::weak_ptr<const model::graph_place> place_;
  std::vector<model::input_port*> inputs_;
  std::vector<model::output_port*> outputs_;
  observe::logger log_;
  model::context* context_ = nullptr;         // of the call that goes on
  std::atomic<const void*> caller_{nullptr};  // the thread that is in it
  std::atomic<bool> in_run_{false};           // a run is being prepared, or goes on
  bool over_ = false;
};

}  // namespace THALWEG_NAMESPACE
