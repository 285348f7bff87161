#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace THALWEG_NAMESPACE::live {

/// The connections at a port whose clients have not sent a whole request yet: each takes a place that others
/// may need. Those that take too long are cut; where there are more connections than places they have less
/// time, and those that came first are cut first.
///
/// State: all connections at the port that `look` has found, in the order in which they came.
/// Written by: one thread looks; any thread says who has asked.
/// Invariant: who has asked is not cut, nor is a connection on which a whole request waits to be read.
class newcomers {
 public:
  using moment = std::chrono::steady_clock::time_point;

  struct limits {
    std::chrono::nanoseconds patience{};    ///< for a request
    std::chrono::nanoseconds in_a_crowd{};  ///< the same where there are more connections than places
    std::size_t places = 0;
  };
  explicit newcomers(limits most) : most_(most) {}

  /// Learns who has come and who has left, and cuts those who have to go. To be called for each connection,
  /// and now and then while `any_waits`. Where the process has no file descriptor left, nothing happens.
  void look(int port, moment now);
  /// A client has said a whole request. Its address is a number, as text.
  void has_asked(const std::string& address, int port);
  /// Whether a client was there at the last look that has not asked yet.
  [[nodiscard]] bool any_waits();

 private:
  struct client {
    ino_t connection = 0;
    std::string address{};
    int port = 0;
    moment since{};
    bool sent = false;  // a whole request, which nobody has read yet
    bool asked = false, cut = false;
  };

  [[nodiscard]] bool learn(int port, moment now);
  [[nodiscard]] std::vector<ino_t> chosen_at(moment now);

  const limits most_;
  std::mutex mutex_;
  std::vector<client> all_;
};

}  // namespace THALWEG_NAMESPACE::live
