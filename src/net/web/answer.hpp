// The bytes of what a web server answers, over as many requests as it takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "back_off.hpp"
#include "client.hpp"

namespace THALWEG_NAMESPACE::net::web {

/// What is asked for.
struct question {
  std::string method, body;
  std::string type = {};       ///< the only one of an answer that is taken; empty: any
  bool end_is_a_loss = false;  ///< as far as lost connections are made again
  std::optional<std::chrono::milliseconds> every = {};
};

class answer {
 public:
  enum class found : std::uint8_t { bytes, end, anew, given_up };

  answer(const endpoint& to, question what, const waker& wakes);

  /// Waits for more, and appends it. `end`: the answer is complete. `anew`: another one begins, as this one
  /// was lost. `given_up`: the wait was. \throws network_error  also when called again
  found more(std::string& into);
  /// Behind the end: waits until it is time to ask again. False if that never is, or the wait was given up.
  bool ask_again();

  /// A header of all later requests: a name, a colon and a value.
  void add_header(std::string line) { added_ = std::move(line); }
  /// What the server wants as the first wait before it is asked again.
  void set_delay(std::chrono::milliseconds delay) { pause_.set_delay(delay); }
  [[nodiscard]] const std::string& where() const noexcept { return link_.where; }

 private:
  void ask();
  found look(std::string& into);
  found finish();
  bool refuses();
  [[noreturn]] void refuse();
  void check_type();
  moment silent_at() const;

  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char* here, char* there, int port_here, int port_there);

  const question what_;
  const web_headers headers_;
  const std::optional<std::chrono::milliseconds> longest_silence_;
  const waker& wakes_;
  client link_;
  back_off pause_;
  header_list sent_{};
  std::string added_{};
  std::string failure_{};
  moment again_at_{};

  // Of the answer that comes.
  bool asked_ = false;
  moment asked_at_{};
  bool connected_ = false;
  moment heard_{};                  // something of it
  moment refused_ = moment::max();  // until when what else a refusal says is waited for
  std::string status_{};            // 404 Not Found
  bool paused_ = false;
  std::string pending_{};
  std::optional<CURLcode> ended_{};
};

}  // namespace THALWEG_NAMESPACE::net::web
