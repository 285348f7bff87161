/// Streams of programs that come from another process, or go to one: `tcp://host:port`,
/// `kafka://broker/topic`.
#pragma once

#include <thalweg/net/carrier.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "apps/support/application.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

/// What `tcp://host:port/name` and `kafka://brokers/topic/name` say.
struct stream_address {
  bool kafka = false;
  std::string where{};  ///< host and port, or brokers
  std::string topic{};  ///< of Kafka
  std::string name{};   ///< what is behind it

  /// As a text, without the name.
  [[nodiscard]] std::string text() const;
};

/// Nothing if the text is no such address.
std::optional<stream_address> stream_address_of(const std::string& text);

/// The output of a run is sent on: what is written to a file of that path, and kept there if `keep`. Waits
/// for the receiver. \throws error  if it does not come
void send_output_on(const stream_address& to, const std::filesystem::path& path,
                    const std::string& application, bool keep);

/// An input that is played.
struct played_input {
  std::shared_ptr<thalweg::net::incoming> elements;  ///< null if it comes as bytes
  std::shared_ptr<thalweg::net::incoming> bytes;     ///< of a file; null if it comes as elements
  std::string input;                                 ///< its name
  bool of_player = false;  ///< it is a file of the player, of which no more is needed than the elements
};

/// Waits for who plays an input of an application. \throws error  if that is another one
played_input await_player(stream_address from, const application_link& link);

/// A moment of the sender's clock by the one here; 0 if it cannot be known.
std::int64_t here_ns(std::int64_t there_ns, const thalweg::net::sender_clock& clock);

/// \throws error  if elements of another form are played
void check_played(const thalweg::net::incoming& from, const std::string& tag);

/// What is read from a file of that path comes from there.
void read_input_from(std::shared_ptr<thalweg::net::incoming> bytes, const std::filesystem::path& path);

/// Plays the input of a run to the process that the options name, and shows what came of it. \throws error
void play_input(const options& asked, const places& where, const application_link& link);

}  // namespace spb::detail
