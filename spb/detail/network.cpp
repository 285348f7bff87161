#include "spb/detail/network.hpp"

#include <thalweg/model/codec.hpp>
#include <thalweg/net/inlet.hpp>
#include <thalweg/net/outlet.hpp>
#include <thalweg/observe/text.hpp>
#if THALWEG_HAS_KAFKA
#include <thalweg/net/kafka_inlet.hpp>
#include <thalweg/net/kafka_outlet.hpp>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/support/error.hpp"
#include "apps/support/interruption.hpp"
#include "apps/support/stream_file.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"

namespace spb::detail {

namespace {

using thalweg::net::incoming;
using thalweg::net::outgoing;

constexpr std::string_view tcp_scheme = "tcp://", kafka_scheme = "kafka://";

// What stands before the first slash; the text becomes what stands behind it.
std::string before_slash(std::string& text) {
  const auto slash = text.find('/');
  auto first = text.substr(0, slash);
  text = slash == text.npos ? "" : text.substr(slash + 1);
  return first;
}

#if THALWEG_HAS_KAFKA
std::shared_ptr<incoming> open_topic(const stream_address& from) {
  remark("waits at " + from.text() + " for the elements of its input");
  return std::make_shared<thalweg::net::kafka_inlet>(thalweg::kafka_topic{from.where, from.topic},
                                                     thalweg::net::kafka_inlet_options{.given_up = failed});
}
std::unique_ptr<outgoing> send_to_topic(const stream_address& to, std::string tag, const std::string& name) {
  return std::make_unique<thalweg::net::kafka_outlet>(
      thalweg::kafka_topic{to.where, to.topic},
      thalweg::net::kafka_outlet_options{.tag = std::move(tag),
                                         .name = name,
                                         .longest_item = thalweg::net::usual_longest_item,
                                         .given_up = failed});
}
#else
[[noreturn]] void without_kafka(const stream_address& one) {
  throw apps::error(one.text() +
                    ": this program was built without librdkafka (apt-get install librdkafka-dev)");
}
std::shared_ptr<incoming> open_topic(const stream_address& from) {
  without_kafka(from);
}
std::unique_ptr<outgoing> send_to_topic(const stream_address& to, const std::string&, const std::string&) {
  without_kafka(to);
}
#endif

// The receiving end, which begins to wait; the address gets the port that it has come to be.
std::shared_ptr<incoming> open_incoming(stream_address& from) {
  if (from.kafka) return open_topic(from);
  const thalweg::tcp_listener here(from.where);
  from.where = here.where();
  remark("waits at " + here.where() + " for the elements of its input");
  return std::make_shared<thalweg::net::inlet>(here, thalweg::net::inlet_options{.given_up = failed});
}

std::unique_ptr<outgoing> open_outgoing(const stream_address& to, std::string tag, const std::string& name) {
  if (to.kafka) return send_to_topic(to, std::move(tag), name);
  return std::make_unique<thalweg::net::outlet>(
      thalweg::net::address::parse(to.where),
      thalweg::net::outlet_options{.tag = std::move(tag), .name = name, .given_up = failed});
}

bool is_class(const apps::application& about, const std::string& name) {
  return std::find(about.inputs.begin(), about.inputs.end(), name) != about.inputs.end();
}

// The sender's name is that of the application and, behind a space, that of its input.
std::string name_of(const apps::application& about, const std::string& input) {
  const auto file = std::filesystem::path(input).filename().string();
  return about.name + " " + (is_class(about, input) ? input : file);
}

// Bytes of a file travel in pieces, as they are written.
using piece = std::vector<std::byte>;

class sent_bytes : public apps::onward_bytes {
 public:
  explicit sent_bytes(std::unique_ptr<outgoing> to) : to_(std::move(to)) { check(to_->connect()); }
  void write(std::string_view bytes) override {
    constexpr std::size_t longest = std::size_t{256} << 10U;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(longest, bytes.size()))) {
      const auto some = bytes.substr(0, longest);
      const auto* const first = reinterpret_cast<const std::byte*>(some.data());
      thalweg::encode(piece(first, first + some.size()), encoded_);
      check(to_->send(encoded_));
    }
  }
  void close() override { check(to_->end()); }

 private:
  static void check(bool done) {
    if (done) return;
    apps::check_interruption();
    throw apps::error("the output is not sent on any more");
  }
  std::unique_ptr<outgoing> to_;
  std::vector<std::byte> encoded_{};
};

class received_bytes : public apps::coming_bytes {
 public:
  explicit received_bytes(std::shared_ptr<incoming> from) : from_(std::move(from)) {}
  std::size_t read(char* to, std::size_t size) override {
    while (used_ == held_.size()) {
      const auto item = from_->next();
      if (!item) {
        if (from_->ended()) return 0;
        apps::check_interruption();
        throw apps::error("the input does not come any more");
      }
      held_ = thalweg::decode<piece>(*item);
      used_ = 0;
    }
    const auto some = std::min(size, held_.size() - used_);
    std::memcpy(to, held_.data() + used_, some);
    used_ += some;
    return some;
  }

 private:
  std::shared_ptr<incoming> from_;
  piece held_{};
  std::size_t used_ = 0;
};

[[noreturn]] void refuse(incoming& from, const std::string& why) {
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

std::string stream_address::text() const {
  return std::string(kafka ? kafka_scheme : tcp_scheme) + where + (kafka ? "/" + topic : "");
}

std::optional<stream_address> stream_address_of(const std::string& text) {
  stream_address made;
  made.kafka = text.starts_with(kafka_scheme);
  if (!made.kafka && !text.starts_with(tcp_scheme)) return std::nullopt;
  auto rest = text.substr((made.kafka ? kafka_scheme : tcp_scheme).size());
  made.where = before_slash(rest);
  if (made.kafka) made.topic = before_slash(rest);
  made.name = rest;
  return made;
}

played_input await_player(stream_address from, const application_link& link) {
  const auto& about = *link.about;
  if (!link.play)
    throw apps::error("the elements of " + about.name + " do not travel: it needs its own input");
  auto made = open_incoming(from);
  if (!made->await_sender()) {
    apps::check_interruption();
    throw apps::error("nobody plays at " + from.text());
  }

  if (made->tag() == thalweg::tag_of<piece>()) {
    if (!link.elements_suffice)
      refuse(*made,
             "at " + from.text() + " the bytes of a file come, and " + about.name + " needs more than that");
    auto name = from.name.empty() ? about.name : from.name;
    return {nullptr, std::move(made), std::move(name), true};
  }
  const auto& name = made->name();
  const auto space = std::min(name.find(' '), name.size());
  const auto app = name.substr(0, space), told = name.substr(std::min(space + 1, name.size()));
  if (app != about.name)
    refuse(*made, "at " + from.text() + " the elements of " + about.name + " are taken, and '" + app +
                      "' is played");
  if (!from.name.empty()) {
    if (is_class(about, from.name) && is_class(about, told) && from.name != told)
      refuse(*made,
             "at " + from.text() + " the input '" + from.name + "' is taken, and '" + told + "' is played");
    return {std::move(made), nullptr, from.name, false};
  }
  const bool of_player = !is_class(about, told);
  if (of_player && !link.elements_suffice)
    refuse(*made, "'" + told + "' is played, which is no class of " + about.name +
                      ": say what goes with its elements, as in -input " + from.text() + "/" +
                      about.inputs.front());
  return {std::move(made), nullptr, told, of_player};
}

void read_input_from(std::shared_ptr<incoming> bytes, const std::filesystem::path& path) {
  apps::read_from(path, std::make_unique<received_bytes>(std::move(bytes)));
}

void send_output_on(const stream_address& to, const std::filesystem::path& path,
                    const std::string& application, bool keep) {
  apps::send_on(
      path,
      std::make_unique<sent_bytes>(open_outgoing(to, thalweg::tag_of<piece>(), "output of " + application)),
      keep);
}

std::int64_t here_ns(std::int64_t there_ns, const thalweg::net::sender_clock& clock) {
  if (clock.by == thalweg::net::sender_clock::relation::unknown) return 0;
  // Both are what a peer says, and may be any number: the difference wraps.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(there_ns) -
                                   static_cast<std::uint64_t>(clock.ahead_ns));
}

void check_played(const incoming& from, const std::string& tag) {
  if (from.tag() != tag)
    throw apps::error("the elements that are played are '" + from.tag() + "', and '" + tag + "' are taken");
}

void play_input(const options& asked, const places& where, const application_link& link) {
  const auto& about = *link.about;
  check_feed_options(asked);
  if (!link.play) throw apps::error("-feed: the elements of " + about.name + " do not travel");
  if (where.network) throw std::invalid_argument("-feed plays an input of its own, not what is played to it");
  const auto to = stream_address_of(asked.feed);
  const auto told = link.play(asked, where, [&](std::string tag) {
    return open_outgoing(to.value_or(stream_address{.where = asked.feed}), std::move(tag),
                         name_of(about, asked.input));
  });
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
