#pragma once

#include <thalweg/version.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace THALWEG_NAMESPACE::net::mqtt {

/// Which messages of QoS 2 libmosquitto gives again. A broker sends a message again on a new connection if it
/// has not heard that it came, and says again that it is complete if it has not heard an answer to that.
/// libmosquitto (2.0.11, and still in later versions) keeps a copy each time it comes, and gives one each
/// time it is complete. When a message comes, only a line of its log says so.
class repeats {
 public:
  /// `client`: the name that libmosquitto has in its log.
  explicit repeats(const std::string& client) : begins_("Client " + client + " received PUBLISH (d") {}

  /// A line of the log. Whatever this does not know means nothing.
  void read(std::string_view line);
  /// A message is given: whether it is a copy of one that was given before.
  bool again(int number);

  /// Whether there are copies of messages that were given before. They must go before the broker uses their
  /// numbers for other messages.
  [[nodiscard]] bool keeps_copies() const { return spare_ > 0; }
  /// Nothing more is written to the broker from now on.
  void confirm_no_more();
  /// Whether a message is still to be given whose coming the broker has heard of, and which it does not send
  /// again.
  [[nodiscard]] bool owes() const { return !owed_.empty(); }
  /// Whether libmosquitto keeps any message.
  [[nodiscard]] bool keeps_any() const { return !copies_.empty(); }
  /// It keeps none any more. `of_broker`: nor does the broker.
  void clear(bool of_broker);

 private:
  std::string begins_;
  std::unordered_map<int, int> copies_{};  // in libmosquitto
  std::unordered_set<int> given_{};        // numbers of messages that have not come anew since
  std::unordered_set<int> owed_{};
  int spare_ = 0;  // copies of those that were given
};

}  // namespace THALWEG_NAMESPACE::net::mqtt
