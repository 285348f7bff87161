#pragma once

#include <thalweg/adapt/window.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::adaptation {

/// What came of one document of a controller.
struct controller_reply {
  bool taken = false;     ///< as a whole; otherwise nothing of it counts
  std::uint64_t seq = 0;  ///< of one that is taken
  changes wanted{};       ///< within what the run can do; none: all stays as it is
  std::string ack{};      ///< what the controller is told, a line of JSON
};

/// Whether this build can read documents: it needs nlohmann-json for that.
[[nodiscard]] bool can_read_replies() noexcept;

/// Reads a document (docs/controllers.md). `shown` has the stages and what can be asked of them, `last` is
/// the `seq` of the last document that was taken, 0 if there is none. It never throws because of what a
/// document says.
[[nodiscard]] controller_reply read_reply(std::string_view document, const window& shown, std::uint64_t last);

/// The answer to a document, or to something that is none, of which nothing counts for this reason. A line.
[[nodiscard]] std::string refusal(std::string_view reason);
[[nodiscard]] std::string refusal(std::uint64_t seq, std::string_view reason);

}  // namespace THALWEG_NAMESPACE::adaptation
