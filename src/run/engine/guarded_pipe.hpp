#pragma once

#include <thalweg/model/connect.hpp>
#include <thalweg/run/engine.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

/// A pipe of the user's own. What it throws ends the run, with the name of the stage that puts in or takes
/// out; nobody between can swallow it.
class guarded_pipe final : public model::own_channel {
 public:
  /// `connection` is how messages call it.
  guarded_pipe(run_state& run, std::unique_ptr<model::own_channel> pipe, std::string connection,
               std::string sender, std::string receiver)
      : run_(run),
        pipe_(std::move(pipe)),
        connection_(std::move(connection)),
        sender_(std::move(sender)),
        receiver_(std::move(receiver)) {}

  std::size_t push(pipe::chunk_base& from, std::size_t first) override {
    return guard(sender_, [&] { return pipe_->push(from, first); });
  }
  std::size_t pop(pipe::chunk_base& to, std::size_t n) override {
    return guard(receiver_, [&] { return pipe_->pop(to, n); });
  }
  [[nodiscard]] bool holds_back() override {
    return guard(receiver_, [&] { return pipe_->holds_back(); });
  }

 private:
  template <class F> std::invoke_result_t<F&> guard(const std::string& stage, F&& f) {
    try {
      return f();
    } catch (...) {
      const auto why = "the pipe of " + connection_ + ": " + model::message_of(std::current_exception());
      try {
        throw stage_error(stage, 0, why);
      } catch (...) {
        run_.fail(std::current_exception(), 0);
      }
    }
    throw thalweg::cancelled{};
  }

  run_state& run_;
  const std::unique_ptr<model::own_channel> pipe_;
  const std::string connection_, sender_, receiver_;
};

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
