#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <string_view>

#include "sampler.hpp"

namespace THALWEG_NAMESPACE::live {

/// Whether this is the path of a request that changes a run.
[[nodiscard]] bool is_control(std::string_view path);
/// Whether such a request has a body that says how.
[[nodiscard]] bool has_body(std::string_view path);

struct outcome {
  int status = 200;
  std::string error{};  ///< if it is another one
};

/// Does what a request asks for.
[[nodiscard]] outcome change(sampler& runs, std::string_view path, std::string_view body);

}  // namespace THALWEG_NAMESPACE::live
