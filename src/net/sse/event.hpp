#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net::sse {

/// An event on the wire. `event`: its type; empty: `message`. `id`: empty: it has none.
std::string packed(std::string_view data, std::string_view event, std::string_view id = {});

}  // namespace THALWEG_NAMESPACE::net::sse
