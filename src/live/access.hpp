#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// Whether a request may name this host, in its header `Host`, at a server that listens at `address`. A page
/// of somebody else whose name is made to lead here names another one (DNS rebinding).
[[nodiscard]] bool is_our_host(std::string_view host, std::string_view address);

enum class permission { none, wrong_token, given };

/// What the header `Authorization` permits where this token is asked for.
[[nodiscard]] permission permission_by(std::string_view authorization, const std::string& token);

}  // namespace THALWEG_NAMESPACE::live
