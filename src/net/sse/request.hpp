#pragma once

#include <thalweg/version.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net::sse {

/// The longest head of a request that is read.
inline constexpr std::size_t longest_head = 8192;

/// The answer to what a client has said so far: none yet, or a status of HTTP, which is 200 if it asks for
/// the events at this path.
std::optional<int> status_for(std::string_view said, std::string_view path);
/// The head of the answer, up to where the events begin; with another status than 200, all of it.
std::string answer(int status, std::string_view allow_origin);
/// An event on the wire.
std::string packed(std::string_view data, std::string_view event);

}  // namespace THALWEG_NAMESPACE::net::sse
