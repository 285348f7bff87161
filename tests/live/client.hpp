#pragma once

#include <thalweg/live/server.hpp>
#include <thalweg/thalweg.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "net/raw_peer.hpp"

/// What the tests say to a page, and hear from it.
namespace live_test {

namespace tw = thalweg;
using nlohmann::json;

struct reply {
  int status = 0;  ///< 0: there was none
  std::string body{};
  httplib::Headers headers{};

  [[nodiscard]] json as_json() const { return json::parse(body); }
  [[nodiscard]] std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};

inline httplib::Client client_of(int port) {
  httplib::Client made("127.0.0.1", port);
  made.set_read_timeout(std::chrono::seconds(60));
  made.set_connection_timeout(std::chrono::seconds(60));
  return made;
}

inline reply reply_of(const httplib::Result& got) {
  return got ? reply{got->status, got->body, got->headers} : reply{};
}

inline reply get(int port, const std::string& path, const httplib::Headers& headers = {}) {
  return reply_of(client_of(port).Get(path, headers));
}

inline reply post(int port, const std::string& path, const std::string& body, const std::string& token = "") {
  httplib::Headers headers;
  if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
  return reply_of(client_of(port).Post(path, headers, body, "application/json"));
}

/// What the other side answers to these bytes, until it closes.
inline std::string answer_to(int port, const std::string& bytes) {
  const auto one = raw_peer::connected_to(static_cast<std::uint16_t>(port));
  one.say(bytes);
  return one.hear();
}

/// The status of an answer as it came.
inline int status_of(const std::string& answer) {
  return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
}

struct event {
  std::string name;
  json data;
};

/// The events that come until one of them is enough.
inline std::vector<event> events_until(int port, const std::string& path,
                                       const std::function<bool(const event&)>& enough,
                                       const httplib::Headers& headers = {}) {
  std::string said;
  std::vector<event> all;
  bool done = false;
  const auto hear = [&](const char* bytes, std::size_t size) {
    said.append(bytes, size);
    for (auto end = said.find("\n\n"); end != said.npos && !done; end = said.find("\n\n")) {
      const auto one = said.substr(0, end);
      said.erase(0, end + 2);
      if (one.starts_with(":")) continue;
      const auto line = one.find('\n');
      EXPECT_TRUE(one.starts_with("event: ")) << one;
      EXPECT_EQ(one.substr(line + 1, 6), "data: ") << one;
      all.push_back({one.substr(7, line - 7), json::parse(one.substr(line + 7))});
      done = enough(all.back());
    }
    return !done;
  };
  (void)client_of(port).Get(path, headers, hear);
  return all;
}

inline bool is_end(const event& one) {
  return one.name == "end";
}

inline auto endless() {
  return tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "numbers"}) |
         tw::farm([](int x) { return -x; }, {.replicas = 1, .name = "negate"}) |
         tw::sink([](int) {}, {.name = "forget"});
}

/// Options that look often, and write nothing.
inline tw::live::options often(std::string token = "") {
  return {.token = std::move(token), .every = std::chrono::milliseconds(5), .announce = false};
}

}  // namespace live_test
