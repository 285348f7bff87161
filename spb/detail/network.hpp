/// Inputs that are played by another process: `-input tcp://host:port`, and `-feed host:port` there.
#pragma once

#include <thalweg/net/inlet.hpp>

#include <memory>
#include <optional>
#include <string>

#include "apps/support/application.hpp"
#include "spb/detail/session.hpp"

namespace spb::detail {

/// What `tcp://host:port/input` says.
struct network_input {
  std::string where;  ///< to listen at
  std::string input;  ///< which one is played, as far as is known
};

/// Nothing if the text is no such address.
std::optional<network_input> network_input_of(const std::string& text);

/// An input that is played.
struct played_input {
  std::shared_ptr<thalweg::net::inlet> elements;
  std::string input;       ///< its name
  bool of_player = false;  ///< it is a file of the player, of which no more is needed than the elements
};

/// Waits for who plays an input of an application. \throws error  if that is another one
played_input await_player(const network_input& from, const application_link& link);

/// \throws error  if elements of another form are played
void check_played(const thalweg::net::inlet& from, const std::string& tag);

/// Plays the input of a run to the process that the options name, and shows what came of it. \throws error
void play_input(const options& asked, const places& where, const application_link& link);

}  // namespace spb::detail
