#pragma once

#include <thalweg/live/options.hpp>

#include <memory>
#include <string>

#include "history.hpp"
#include "recording.hpp"
#include "sampler.hpp"

namespace THALWEG_NAMESPACE::live {

/// Answers browsers and other clients, over HTTP/1.1.
class http_server {
 public:
  /// \throws network_error  if it cannot listen there
  http_server(const options& how, history& past, sampler& runs, recording& traces);
  http_server(const http_server&) = delete;
  http_server& operator=(const http_server&) = delete;
  ~http_server();

  [[nodiscard]] int port() const noexcept;
  [[nodiscard]] std::string url() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::live
