/// What is told of a run at its end: on standard output, and as JSON.
#pragma once

#include <thalweg/net/carrier.hpp>

#include <optional>
#include <string>

#include "apps/support/application.hpp"
#include "apps/support/files.hpp"
#include "spb/detail/measurement.hpp"
#include "spb/detail/options.hpp"

namespace spb::detail {

/// What it is about.
struct account {
  const std::string& program;
  const std::string& application;
  const options& asked;
  const results& found;
  const std::optional<apps::verdict>& verified;
  /// The clock by which latencies count, where that is the clock of who played the elements.
  std::optional<thalweg::net::sender_clock> sender{};
};

/// To standard output, for people: what the options ask for.
void show(const account& of);

/// All of it, as an object. Completes the file. \throws apps::error  if it cannot be written
void write_json(const account& of, apps::output_file& out);

}  // namespace spb::detail
