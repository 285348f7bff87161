/// A run of a benchmark program, from `init_bench` to `end_bench`: options, input and output, what the
/// application needs, the measurement and its results.
#pragma once

#include <thalweg/net/carrier.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/support/application.hpp"
#include "apps/support/registered_input.hpp"
#include "spb/detail/options.hpp"

namespace spb::detail {

class feed;

/// Where a run has its data.
struct places {
  std::string input_class;          ///< empty: a user's file
  std::filesystem::path input;      ///< the folder of the class, or what the user named
  std::filesystem::path output;     ///< always a name, if only one for a while
  std::filesystem::path json;       ///< for the results; empty: nobody wants them
  std::filesystem::path latencies;  ///< for the latency of each item; empty: likewise
  /// A user's file that goes by a name.
  std::optional<apps::registered_input> registered;
  std::string input_name;                           ///< what the user named, or who plays it
  std::shared_ptr<thalweg::net::incoming> network;  ///< where elements come from; null: from the input
};

/// To whom a source is played: makes the sending end, for elements with a tag.
using destination = std::function<std::unique_ptr<thalweg::net::outgoing>(std::string tag)>;

/// What came of that. `behind_ns`: how much later than due an element was sent, at most.
struct play_result {
  std::uint64_t elements = 0;
  std::int64_t took_ns = 0;
  std::int64_t behind_ns = 0;
};

/// What an application gives to a run.
struct application_link {
  const apps::application* about = nullptr;
  /// Opens everything: source, sink, models. Returns the names of the operators in the order of the stream.
  std::function<std::vector<std::string>(const options& asked, const places& where)> open;
  /// Opens the source alone, and plays it; null: the elements do not travel.
  play_result (*play)(const options& asked, const places& where, const destination& to) = nullptr;
  /// Completes the output.
  std::function<void()> complete;
  /// Gives everything up; what was not completed leaves nothing behind.
  std::function<void()> discard;
  /// Whether elements count when they are taken, not when they come to the sink.
  bool counts_at_source = false;
  /// Whether nothing else of the input is needed where its elements are played.
  bool elements_suffice = false;
};

/// `init_bench`: ends the process if something is wrong with the options or the data.
void begin(int argc, char** argv, application_link link);

/// One more source object begins: the feed gets its number, and input and output are opened for it. Begins
/// the measurement, too, unless it has begun. Returns the name of the input, without its ending. One thread
/// at a time.
std::string begin_source(feed& by);

/// Says something on standard error, behind the program's name.
void remark(const std::string& says);

/// A stream that has failed, was told to stop, or ended before its input throws here why.
void throw_failure();

/// A file that is read must not be written, too. \throws apps::error  if it is
void forbid_overwriting(const std::filesystem::path& input, const places& where);
/// None of them.
void forbid_overwriting(const std::vector<std::filesystem::path>& inputs, const places& where);

}  // namespace spb::detail
