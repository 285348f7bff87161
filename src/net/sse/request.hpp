#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net::sse {

/// The longest head of a request that is read.
inline constexpr std::size_t longest_head = 8192;

/// What a client asks for.
struct request {
  int status = 200;       // of the answer; with 200 events follow
  std::string last_id{};  // of the event that the client has had last, if it comes back
};

/// What a client asks for that has said this so far; nothing yet if it has to say more. `path`: where the
/// events are. `others_may`: pages of another origin may listen.
std::optional<request> asked(std::string_view said, std::string_view path, bool others_may);
/// The head of the answer, up to where the events begin; with another status than 200, all of it.
std::string answer(int status, std::string_view allow_origin);

}  // namespace THALWEG_NAMESPACE::net::sse
