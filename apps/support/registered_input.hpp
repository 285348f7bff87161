/// Inputs that users have given names to. They are kept in a file of lines, which the command line writes
/// (`./thalweg new-input`) and everything that reads inputs reads; the files themselves stay where they are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/support/application.hpp"

namespace apps {

/// A file or folder of the user's, by a name that stands for it among an application's inputs.
struct registered_input {
  std::string name;
  std::filesystem::path file;
  std::string output_hash;  ///< of what should come of it, SHA-256 or MD5 in hexadecimal; empty: unknown
};

/// The list: `$XDG_DATA_HOME/thalweg/inputs.tsv`, or under `~/.local/share`. Each line has, between tabs, an
/// application, a name, a path, and the hash of the output (`-`: unknown); two fields more are for the
/// command line. Lines that begin with `#` are skipped. \throws error  if there is no place for it
std::filesystem::path registered_inputs_file();

/// Those of an application, in the order of the list; none where there is no list. \throws error  naming file
/// and line, if the list is damaged
std::vector<registered_input> registered_inputs(std::string_view app);

/// The one of this name, if there is one. What has a `/` in it is a path, and never a name. \throws error  as
/// above
std::optional<registered_input> find_registered_input(std::string_view app, std::string_view name);

/// Compares an output with what should have come of such an input. \throws error  if its hash is unknown, or
/// if the output is not a file that can be read
verdict verify_registered(const registered_input& input, const std::filesystem::path& output);

}  // namespace apps
