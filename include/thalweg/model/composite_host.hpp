#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/composite_stage.hpp>
#include <thalweg/model/plan.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace THALWEG_NAMESPACE::model {

/// Executes a composite stage that is no part of a graph, on the calling thread: what is given to one of its
/// inputs goes through its children until nothing moves any more. One thread at a time.
class composite_host {
 public:
  /// Throws `thalweg::error`, or an `invalid_job`, if the composite cannot be executed in this way: it has
  /// other ports that are not connected, sources, stages that act when time has passed, or an ordered merge.
  composite_host(std::unique_ptr<composite_stage> c, const exported_port& in, const exported_port& out);
  ~composite_host();

  /// Calls the start hooks. To be called first, by the thread that makes what they need.
  void start();
  /// The child that takes the items wants no more of them.
  [[nodiscard]] bool over() const noexcept;
  /// Takes the items out of `items`. What comes of them, and is not taken out of `results()` yet, is lost if
  /// this throws.
  void give(pipe::chunk_base& items);
  /// No more will come: calls the end hooks, along the stream.
  void finish();
  /// What has come out.
  [[nodiscard]] pipe::chunk_base& results() noexcept { return *results_; }

 private:
  class child;
  friend class child;
  struct parcel {
    child* to;
    std::size_t port;
    std::unique_ptr<pipe::chunk_base> items;
  };

  void refuse_what_cannot_be() const;
  [[nodiscard]] std::vector<child*> along_the_stream() const;
  void work();

  const std::unique_ptr<composite_stage> composite_;
  plan plan_;
  std::vector<std::unique_ptr<child>> children_;  // by component
  child* entrance_ = nullptr;
  std::size_t entrance_port_ = 0;
  std::deque<parcel> on_their_way_;
  std::unique_ptr<pipe::chunk_base> results_;
};

}  // namespace THALWEG_NAMESPACE::model
