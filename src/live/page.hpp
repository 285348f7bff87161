#pragma once

#include <thalweg/live/options.hpp>

#include <optional>

#include "history.hpp"
#include "http.hpp"
#include "recording.hpp"
#include "sampler.hpp"

namespace THALWEG_NAMESPACE::live {

/// All that serves a page, or saves it, which shows what its sampler watches.
class page {
 public:
  /// \throws network_error  if it cannot listen there  \throws thalweg::error  for options without sense
  explicit page(const options& how, bool served = true);
  page(const page&) = delete;
  page& operator=(const page&) = delete;
  ~page();

 private:
  history past_;

 public:
  mutable sampler runs;
  recording traces;
  std::optional<http_server> http;  ///< nothing: it is not served
};

}  // namespace THALWEG_NAMESPACE::live
