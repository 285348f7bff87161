#include "spb/detail/network.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/interruption.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"

namespace spb::detail {

namespace {

using thalweg::net::inlet;

constexpr std::string_view scheme = "tcp://";

std::string without_scheme(const std::string& text) {
  return text.starts_with(scheme) ? text.substr(scheme.size()) : text;
}

bool is_class(const apps::application& about, const std::string& name) {
  return std::find(about.inputs.begin(), about.inputs.end(), name) != about.inputs.end();
}

// The sender's name is that of the application and, behind a space, that of its input.
std::string name_of(const apps::application& about, const std::string& input) {
  const auto file = std::filesystem::path(input).filename().string();
  return about.name + " " + (is_class(about, input) ? input : file);
}

[[noreturn]] void refuse(inlet& from, const std::string& why) {
  from.close(why);
  throw apps::error(why);
}

void check_feed_options(const options& asked) {
  constexpr std::array fit = {"feed",       "input",       "frequency",      "freq-patt", "when-late",
                              "batch-size", "batch-bytes", "batch-interval", "in-memory", "help"};
  for (const auto& given : asked.given)
    if (std::find(fit.begin(), fit.end(), given) == fit.end())
      throw std::invalid_argument("-feed plays the source alone: -" + std::string(given) +
                                  " does not go with it");
}

}  // namespace

std::optional<network_input> network_input_of(const std::string& text) {
  if (!text.starts_with(scheme)) return std::nullopt;
  const auto rest = without_scheme(text);
  const auto slash = rest.find('/');
  return network_input{rest.substr(0, slash), slash == rest.npos ? "" : rest.substr(slash + 1)};
}

played_input await_player(const network_input& from, const application_link& link) {
  const auto& about = *link.about;
  if (!link.play)
    throw apps::error("the elements of " + about.name + " do not travel: it needs its own input");
  const thalweg::tcp_listener here(from.where);
  remark("waits at " + here.where() + " for the elements of its input");
  auto made = std::make_shared<inlet>(here, thalweg::net::inlet_options{.given_up = failed});
  if (!made->await_sender()) {
    apps::check_interruption();
    throw apps::error("nobody plays at " + here.where());
  }

  const auto& name = made->name();
  const auto space = std::min(name.find(' '), name.size());
  const auto app = name.substr(0, space), told = name.substr(std::min(space + 1, name.size()));
  if (app != about.name)
    refuse(*made, "at " + here.where() + " the elements of " + about.name + " are taken, and '" + app +
                      "' is played");
  if (!from.input.empty()) {
    if (is_class(about, from.input) && is_class(about, told) && from.input != told)
      refuse(*made,
             "at " + here.where() + " the input '" + from.input + "' is taken, and '" + told + "' is played");
    return {std::move(made), from.input, false};
  }
  const bool of_player = !is_class(about, told);
  if (of_player && !link.elements_suffice)
    refuse(*made, "'" + told + "' is played, which is no class of " + about.name +
                      ": say what goes with its elements, as in -input " + std::string(scheme) + from.where +
                      "/" + about.inputs.front());
  return {std::move(made), told, of_player};
}

void check_played(const inlet& from, const std::string& tag) {
  if (from.tag() != tag)
    throw apps::error("the elements that are played are '" + from.tag() + "', and '" + tag + "' are taken");
}

void play_input(const options& asked, const places& where, const application_link& link) {
  const auto& about = *link.about;
  check_feed_options(asked);
  if (!link.play) throw apps::error("-feed: the elements of " + about.name + " do not travel");
  if (where.network) throw std::invalid_argument("-feed plays an input of its own, not what is played to it");
  const destination to{thalweg::net::address::parse(without_scheme(asked.feed)), name_of(about, asked.input)};
  const auto told = link.play(asked, where, to);
  throw_failure();
  using namespace thalweg::observe;
  auto says = "sent " + std::to_string(told.elements) + " elements in " +
              duration_text(static_cast<double>(told.took_ns));
  if (told.took_ns > 0)
    says += ", " + rate_text(static_cast<double>(told.elements) * 1e9 / static_cast<double>(told.took_ns));
  if (common_feed().paced())
    says += "; at most " + duration_text(static_cast<double>(told.behind_ns)) + " late";
  std::printf("%s\n", says.c_str());
}

}  // namespace spb::detail
