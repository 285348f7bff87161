// Web servers with TLS: who is trusted, with lines and with messages.
#include <thalweg/net/http.hpp>
#include <thalweg/net/tls.hpp>
#include <thalweg/net/websocket.hpp>
#include <thalweg/thalweg.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "net/certificates.hpp"
#include "net/web_socket_peer.hpp"
#include "support/failure.hpp"

namespace tw = thalweg;
using testing::HasSubstr;

namespace {

/// A web server behind TLS: takes connections one after the other, and passes their bytes on to one without.
class tls_front {
 public:
  tls_front(const web_server& behind, const tw::tls_server_options& how)
      : security_(tw::tls_server(how)), thread_([this, port = behind.port()](const std::stop_token& stop) {
          const std::stop_callback closes(stop, [this] { door_.cut(); });
          while (!stop.stop_requested()) {
            const auto from = door_.accepted();
            if (from.fd() < 0) return;
            try {
              carry(from, port);
            } catch (const tw::network_error&) {  // it does not trust this one
            }
          }
        }) {}

  [[nodiscard]] std::string where() const { return "127.0.0.1:" + std::to_string(door_.port()); }

 private:
  void carry(const raw_peer& from, std::uint16_t port) const {
    ::fcntl(from.fd(), F_SETFL, O_NONBLOCK);
    const auto cipher = security_->of_accepted(from.fd());
    while (const auto events = cipher->shake_hands()) {
      pollfd one{from.fd(), events, 0};
      ::poll(&one, 1, -1);
    }
    const auto to = raw_peer::connected_to(port);
    std::array<std::byte, 4096> some{};
    for (;;) {
      std::array<pollfd, 2> both{{{from.fd(), POLLIN, 0}, {to.fd(), POLLIN, 0}}};
      if (!cipher->has_more()) ::poll(both.data(), both.size(), -1);
      if (both[0].revents != 0 || cipher->has_more()) {
        const auto got = cipher->receive_some(some);
        to.say({reinterpret_cast<const char*>(some.data()), got});
      }
      if (both[1].revents == 0) continue;
      const auto got = ::recv(to.fd(), some.data(), some.size(), 0);
      if (got <= 0) return;
      for (auto left = std::span<const std::byte>(some).first(static_cast<std::size_t>(got)); !left.empty();)
        left = left.subspan(cipher->send_some(left));
    }
  }

  raw_peer door_ = raw_peer::listening();
  std::shared_ptr<const tw::net::accepting_security> security_;
  std::jthread thread_;
};

class WebTls : public testing::Test {
 protected:
  static const authority& ours() {
    static const authority one("ours");
    return one;
  }
  static tw::tls_server_options certified(const std::string& trusted = "") {
    static const auto made = ours().issue("server", "DNS:localhost,IP:127.0.0.1");
    return {.certificate = made.certificate, .key = made.key, .trusted = trusted};
  }
  static std::vector<std::string> lines_of(const std::string& url, tw::http_lines_options how) {
    std::vector<std::string> seen;
    tw::run(tw::http_lines(url, std::move(how)) | tw::sink(seen));
    return seen;
  }
};

TEST_F(WebTls, ATrustedServerIsRead) {
  const web_server server({saying({answer_of("a\n", "Connection: close\r\n")}),
                           opened([](const raw_peer& link, const std::string&) {
                             link.say(frame(1, "b") + close_frame(1000));
                             (void)link.hear();
                           })});
  const tls_front front(server, certified());
  EXPECT_EQ(lines_of("https://" + front.where() + "/", {.trusted = ours().path()}),
            std::vector<std::string>{"a"});
  std::string seen;
  tw::run(tw::websocket_messages("wss://" + front.where() + "/", {.trusted = ours().path()}) |
          tw::sink([&](const tw::websocket_message& m) { seen += m.data; }));
  EXPECT_EQ(seen, "b");
}

TEST_F(WebTls, AServerThatIsNotTrustedIsNotAskedAtAll) {
  const authority others("others");
  const web_server server({saying({answer_of("a\n")})});
  const tls_front front(server, certified());
  const auto url = "https://" + front.where() + "/";
  EXPECT_THAT(failure_of([&] { lines_of(url, {}); }).cause, HasSubstr(url + ": SSL certificate problem"));
  EXPECT_THAT(
      failure_of([&] { lines_of(url, {.trusted = others.path(), .reconnect = tw::web_reconnect{}}); }).cause,
      HasSubstr(url + ": SSL certificate problem"));
  const auto wss = "wss://" + front.where() + "/";
  EXPECT_THAT(failure_of([&] {
                tw::run(tw::websocket_messages(wss) | tw::sink([](const tw::websocket_message&) {}));
              }).cause,
              HasSubstr(wss + ": SSL certificate problem"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(WebTls, AnotherNameIsRefused) {
  const auto elsewhere = ours().issue("elsewhere", "DNS:elsewhere");
  const web_server server({saying({answer_of("a\n")})});
  const tls_front front(server, {.certificate = elsewhere.certificate, .key = elsewhere.key});
  const auto url = "https://" + front.where() + "/";
  EXPECT_THAT(failure_of([&] { lines_of(url, {.trusted = ours().path()}); }).cause,
              HasSubstr(url + ": SSL: "));
}

TEST_F(WebTls, AServerMayWantToKnowTheClient) {
  const auto its = ours().issue("client", "DNS:client");
  const web_server server({saying({answer_of("a\n", "Connection: close\r\n")})});
  const tls_front front(server, certified(ours().path()));
  const auto url = "https://" + front.where() + "/";
  EXPECT_EQ(lines_of(url, {.trusted = ours().path(), .certificate = its.certificate, .key = its.key}),
            std::vector<std::string>{"a"});
  EXPECT_THAT(failure_of([&] { lines_of(url, {.trusted = ours().path()}); }).cause, HasSubstr(url + ": "));
}

TEST_F(WebTls, ARedirectToAServerWithoutIsNotFollowed) {
  const web_server plain({saying({answer_of("a\n")})});
  const web_server server(
      {saying({answer_of("", "Location: " + plain.url() + "\r\nConnection: close\r\n", "302 Found")})});
  const tls_front front(server, certified());
  const auto url = "https://" + front.where() + "/";
  EXPECT_THAT(failure_of([&] { lines_of(url, {.trusted = ours().path()}); }).cause,
              HasSubstr(url + ": Protocol \"http\" not supported or disabled"));
  EXPECT_TRUE(plain.requests().empty());
}

}  // namespace
