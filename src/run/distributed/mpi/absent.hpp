#pragma once

#include <thalweg/run/engine.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail::distributed {

/// A run that other processes execute without this one: it has ended when it begins, and has no results.
class absent final : public engine {
 public:
  explicit absent(std::unique_ptr<run_state> s) : engine(std::move(s)) { state_->root = false; }

  void start(bool) override { state_->finished(); }
  void join() override { state_->flags.wait_done(); }
  void wake() override {}
  void set_replicas(std::string_view, int) override {}
  void set_run_length(std::chrono::nanoseconds) override {}
  void set_credits(std::string_view, int) override {}
  void set_message_bytes(std::size_t) override {}
  void set_ranks(int) override {}
  [[nodiscard]] bool executes_graphs() const noexcept override { return true; }
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
