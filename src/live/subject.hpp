#pragma once

#include <thalweg/observe/report.hpp>

namespace THALWEG_NAMESPACE {
class execution;
}

namespace THALWEG_NAMESPACE::live {

/// A run that is looked at.
class subject {
 public:
  subject() = default;
  subject(const subject&) = delete;
  subject& operator=(const subject&) = delete;
  virtual ~subject() = default;

  /// As `execution::stats`.
  [[nodiscard]] virtual report stats() = 0;
  [[nodiscard]] virtual bool done() = 0;
  /// What changes it; null: it can only be looked at.
  [[nodiscard]] virtual thalweg::execution* control() = 0;
};

}  // namespace THALWEG_NAMESPACE::live
