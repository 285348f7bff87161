#include "controller_reply.hpp"

#include <thalweg/observe/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "numbers.hpp"
#include "window_json.hpp"

#ifdef THALWEG_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace THALWEG_NAMESPACE::adaptation {

namespace {

using observe::json_writer;
using reasons = std::vector<std::string>;

std::string refused(std::optional<std::uint64_t> seq, const reasons& why) {
  std::string line;
  json_writer json(line);
  json.begin_object().key("ack");
  seq ? json.value(*seq) : json.null();
  json.key("refused").begin_array();
  for (const auto& reason : why) json.value(reason);
  json.end_array().end_object();
  return line += '\n';
}

#ifdef THALWEG_HAS_JSON

using parsed = nlohmann::json;

// One document, as far as it is read.
class reading {
 public:
  reading(const parsed& document, const window& shown) : document_(document), shown_(shown) {}

  controller_reply read(std::uint64_t seq) {
    for (const auto& [name, value] : document_.items()) member(name, value);
    if (hold_ && !wanted_.none())
      no("hold: true means that all stays as it is, so nothing else can be asked for");
    if (!wrong_.empty()) return {.ack = refused(seq, wrong_)};
    wanted_.reason = "a controller asks for it, in seq " + std::to_string(seq);
    auto ack = accepted(seq);
    return {.taken = true, .seq = seq, .wanted = std::move(wanted_), .ack = std::move(ack)};
  }

 private:
  // The first ones are enough to see what is wrong.
  void no(std::string reason) {
    constexpr std::size_t most = 8;
    if (wrong_.size() < most) wrong_.push_back(std::move(reason));
  }

  void member(const std::string& name, const parsed& value) {
    if (name == "v" || name == "seq") return;  // read already
    if (name == "replicas") return each(name, value, &reading::replicas);
    if (name == "batch") return each(name, value, &reading::batch);
    if (name == "hold") return hold(value);
    if (name == "credits") return each(name, value, &reading::credits);
    if (name == "ranks") return ranks(value);
    if (name == "run_length_us") return run_length(value);
    if (name == "message_bytes") return message_bytes(value);
    if (name == "goal") return no("goal: a run keeps the goal with which it was started");
    no("'" + name +
       "' is unknown: a document has v, seq, replicas, batch, credits, ranks, run_length_us, message_bytes "
       "and hold");
  }

  void hold(const parsed& value) {
    if (!value.is_boolean()) return no("hold must be true or false");
    hold_ = value.get<bool>();
  }

  // An object with the names of stages.
  void each(const std::string& name, const parsed& of,
            void (reading::*read_one)(const stage_window&, const parsed&)) {
    if (!of.is_object()) return no(name + R"( must be an object, as in {"name of the stage": …})");
    for (const auto& [stage, value] : of.items()) {
      if (const auto* found = shown_.find(stage))
        (this->*read_one)(*found, value);
      else
        no(name + ": there is no stage '" + stage + "'");
    }
  }

  void replicas(const stage_window& stage, const parsed& value) {
    const auto said = whole("replicas of '" + stage.name + "'", value);
    if (!said) return;
    if (!stage.farm())
      return no("replicas: '" + stage.name + "' has one replica, and can have no other number");
    wanted_.replicas.push_back(
        {stage.name, static_cast<int>(within(stage.name, *said, stage.least, stage.most))});
  }

  void batch(const stage_window& stage, const parsed& value) {
    const auto who = "batch '" + stage.name + "'";
    if (!stage.batch) return no("batch: '" + stage.name + "' is no batch whose limits can be changed");
    if (!value.is_object() || value.empty())
      return no(who + R"( must be an object, as in {"count": 64, "interval_ms": 5})");
    batch_limits limits;
    for (const auto& [name, said] : value.items()) {
      if (name == "count") {
        limits.items = limit(stage.name, whole("count of " + who, said));
      } else if (name == "bytes") {
        limits.bytes = limit(stage.name, whole("bytes of " + who, said));
      } else if (name == "interval_ms") {
        const auto ms = number("interval_ms of " + who, said);
        limits.interval = std::chrono::nanoseconds(limit(stage.name, ms ? std::optional(*ms * 1e6) : ms));
      } else {
        no(who + ": '" + name + "' is unknown: a batch has count, bytes and interval_ms");
      }
    }
    wanted_.batches.push_back({stage.name, limits});
  }

  void credits(const stage_window& stage, const parsed& value) {
    const auto said = whole("credits of '" + stage.name + "'", value);
    if (!said) return;
    if (!stage.credits) return no("credits: the items of '" + stage.name + "' come from no other rank");
    wanted_.credits.push_back({stage.name, static_cast<int>(within(stage.name, *said, 0, most_credits))});
  }

  void ranks(const parsed& value) {
    if (!value.is_object() || value.size() != 1 || !value.contains("wanted"))
      return no(R"(ranks must be an object, as in {"wanted": 2})");
    const auto said = whole("ranks wanted", value["wanted"]);
    if (!said) return;
    if (shown_.ranks.empty()) return no("ranks: this run is in one process");
    const auto least = least_ranks_of(shown_), most = most_ranks_of(shown_);
    if (least == most) return no("ranks: " + std::to_string(most) + " is the only number possible");
    wanted_.ranks = static_cast<int>(within("ranks", *said, least, most));
  }

  // 0: as the run sees fit.
  void run_length(const parsed& value) {
    const auto us = number("run_length_us", value);
    if (!us) return;
    if (!shown_.run_length)
      return no("run_length_us: how much work a run of items holds cannot be changed here");
    wanted_.run_length =
        std::chrono::nanoseconds(*us == 0 ? 0
                                          : within("run_length_us", *us * 1e3, shortest_run_length.count(),
                                                   longest_run_length.count()));
  }

  void message_bytes(const parsed& value) {
    const auto said = whole("message_bytes", value);
    if (!said) return;
    if (!shown_.message_bytes) return no("message_bytes: this run sends no messages to other ranks");
    wanted_.message_bytes = static_cast<std::size_t>(limit("message_bytes", said));
  }

  std::optional<double> number(const std::string& what, const parsed& value) {
    if (value.is_number()) return value.get<double>();
    no(what + " must be a number");
    return std::nullopt;
  }

  std::optional<double> whole(const std::string& what, const parsed& value) {
    const auto said = number(what, value);
    if (!said || *said == std::floor(*said)) return said;
    no(what + " must be a whole number");
    return std::nullopt;
  }

  std::int64_t limit(const std::string& stage, std::optional<double> said) {
    // The largest that is a double, too.
    constexpr std::int64_t most = std::int64_t{1} << 62;
    return said ? within(stage, *said, 1, most) : 0;
  }

  // `of`: a stage, or what the whole run has.
  std::int64_t within(const std::string& of, double said, std::int64_t least, std::int64_t most) {
    const auto kept = std::clamp(said, static_cast<double>(least), static_cast<double>(most));
    if (kept != said && std::ranges::find(clamped_, of) == clamped_.end()) clamped_.push_back(of);
    return static_cast<std::int64_t>(kept);
  }

  [[nodiscard]] std::string accepted(std::uint64_t seq) const {
    std::string line;
    json_writer json(line);
    json.begin_object().member("ack", seq);
    if (!wanted_.replicas.empty()) {
      json.key("replicas").begin_object();
      for (const auto& one : wanted_.replicas) json.member(one.stage, one.replicas);
      json.end_object();
    }
    if (!wanted_.batches.empty()) {
      json.key("batch").begin_object();
      for (const auto& one : wanted_.batches) {
        json.key(one.stage);
        write_limits(json, one.limits);
      }
      json.end_object();
    }
    if (!wanted_.credits.empty()) {
      json.key("credits").begin_object();
      for (const auto& one : wanted_.credits) json.member(one.stage, one.runs);
      json.end_object();
    }
    if (wanted_.ranks) json.key("ranks").begin_object().member("wanted", *wanted_.ranks).end_object();
    if (wanted_.run_length) write_run_length(json, *wanted_.run_length);
    if (wanted_.message_bytes) json.member("message_bytes", *wanted_.message_bytes);
    if (!clamped_.empty()) {
      json.key("clamped").begin_array();
      for (const auto& name : clamped_) json.value(name);
      json.end_array();
    }
    json.end_object();
    return line += '\n';
  }

  const parsed& document_;
  const window& shown_;
  bool hold_ = false;
  changes wanted_;
  reasons wrong_;
  std::vector<std::string> clamped_;  // what gets less, or more, than was asked for
};

std::string ignored(std::uint64_t seq, std::uint64_t last) {
  std::string line;
  json_writer json(line);
  json.begin_object().member("ack", seq);
  json.member("ignored", "seq is not above " + std::to_string(last)).end_object();
  return line += '\n';
}

#endif

}  // namespace

std::string refusal(std::string_view reason) {
  return refused(std::nullopt, {std::string(reason)});
}

std::string refusal(std::uint64_t seq, std::string_view reason) {
  return refused(seq, {std::string(reason)});
}

#ifdef THALWEG_HAS_JSON

bool can_read_replies() noexcept {
  return true;
}

controller_reply read_reply(std::string_view document, const window& shown, std::uint64_t last) {
  const auto said = parsed::parse(document, nullptr, false);
  if (!said.is_object()) return {.ack = refusal("this is no JSON object")};
  const auto seq = said.find("seq");
  if (seq == said.end() || !seq->is_number_unsigned())
    return {.ack = refusal("seq must be a whole number above 0, such as the seq of the window")};
  const auto number = seq->get<std::uint64_t>();
  if (const auto version = said.find("v"); version == said.end() || *version != 1)
    return {.ack = refusal(number, "v must be 1: no other version of this format is known")};
  if (number <= last) return {.ack = ignored(number, last)};
  return reading(said, shown).read(number);
}

#else

bool can_read_replies() noexcept {
  return false;
}

controller_reply read_reply(std::string_view, const window&, std::uint64_t) {
  return {.ack = refusal("this build of the library cannot read documents")};
}

#endif

}  // namespace THALWEG_NAMESPACE::adaptation
