#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/emitter.hpp>
#include <thalweg/model/stage.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace THALWEG_NAMESPACE::model {

/// Calls a stage that is no part of a graph: takes the place of what it would be connected to. One input and
/// one output of it are used; others must be optional outputs, whose items are discarded.
class stage_host final : public context {
 public:
  /// Throws `thalweg::error` if the stage has other ports.
  stage_host(stage& s, input_port& in, output_port& out);
  ~stage_host() override;

  void start();
  /// The stage wants no more items.
  [[nodiscard]] bool over() const noexcept { return stage_.over_; }
  /// Calls `f`, which calls a function of the stage. What is sent goes to `to`; nothing of it, beyond what
  /// has gone already, if `f` throws.
  template <class U, class F> void call(emitter<U>& to, F&& f) {
    to_ = &to;
    hand_over_ = [](void* emitter_of_u, pipe::chunk_base& items) {
      for (U& x : static_cast<pipe::chunk<U>&>(items))
        static_cast<emitter<U>*>(emitter_of_u)->send(std::move(x));
      items.clear();
    };
    ++tallies[0].in;
    const calling now(stage_);
    try {
      std::forward<F>(f)();
      out_.flush();
    } catch (...) {
      sent_->clear();
      throw;
    }
  }

  void flush(std::size_t, pipe::chunk_base& items) override { hand_over_(to_, items); }
  void back_off(std::chrono::nanoseconds) override {}
  void one_at_a_time(function_ref<void()>) override {}
  void wait_while_paused() override {}
  void counted(std::size_t, std::size_t) override {}
  void arrived(std::int64_t) override {}

 private:
  struct calling {
    explicit calling(stage& s) noexcept : called(s) {
      s.caller_.store(this_thread(), std::memory_order_relaxed);
    }
    calling(const calling&) = delete;
    calling& operator=(const calling&) = delete;
    ~calling() { called.caller_.store(nullptr, std::memory_order_relaxed); }
    stage& called;
  };

  stage& stage_;
  output_port& out_;
  std::unique_ptr<pipe::chunk_base> sent_;
  void* to_ = nullptr;
  void (*hand_over_)(void*, pipe::chunk_base&) = nullptr;
};

}  // namespace THALWEG_NAMESPACE::model
