// What a host and its plug-ins know of each other. Both use the shared library of Thalweg.
#pragma once

#include <thalweg/thalweg.hpp>

#include <functional>
#include <memory>

/// An error that plug-ins throw and hosts catch: its type is visible.
struct __attribute__((visibility("default"))) refused : thalweg::error {
  using error::error;
};

class plugin {
 public:
  virtual ~plugin() = default;
  /// A part of a line whose types are known here, and whose operators are not.
  virtual thalweg::any_pipeline<int, int> doubles() = 0;
  /// A stage of a class that only the plug-in knows, and its ports.
  virtual std::unique_ptr<thalweg::stage> stage() = 0;
  virtual thalweg::in<int>& input() = 0;
  virtual thalweg::out<long>& output() = 0;
  /// A run that begins there and ends here.
  virtual thalweg::execution launch(thalweg::any_policy policy, long& sum) = 0;
  /// Throws `stage_error`, with `refused` inside.
  virtual void fails() = 0;
  /// Calls an operator of the host's in a run of its own.
  virtual void calls(const std::function<void()>& f) = 0;
};

using make_plugin = plugin*();
