// Web servers with TLS: who is trusted, with lines and with messages.
#include <thalweg/net/http.hpp>
#include <thalweg/net/websocket.hpp>
#include <thalweg/thalweg.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
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
  /// `trusted`: a file, who must have signed the client's certificate; empty: it needs none.
  tls_front(const web_server& behind, const authority::files& its, const std::string& trusted = "")
      : made_(SSL_CTX_new(TLS_server_method())),
        thread_([this, port = behind.port()](const std::stop_token& stop) { serve(stop, port); }) {
    SSL_CTX_use_certificate_file(made_.get(), its.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(made_.get(), its.key.c_str(), SSL_FILETYPE_PEM);
    if (trusted.empty()) return;
    SSL_CTX_load_verify_locations(made_.get(), trusted.c_str(), nullptr);
    SSL_CTX_set_verify(made_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }

  [[nodiscard]] std::string where() const { return "127.0.0.1:" + std::to_string(door_.port()); }

 private:
  struct freed {
    void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
    void operator()(SSL* one) const { SSL_free(one); }
  };

  void serve(const std::stop_token& stop, std::uint16_t port) {
    const std::stop_callback closes(stop, [this] { door_.cut(); });
    // OpenSSL writes to a client that has gone, which must not end the test.
    sigset_t pipe{};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (!stop.stop_requested()) {
      const auto from = door_.accepted();
      if (from.fd() < 0) return;
      const std::unique_ptr<SSL, freed> link(SSL_new(made_.get()));
      SSL_set_fd(link.get(), from.fd());
      // A client that does not trust this server goes here.
      if (SSL_accept(link.get()) == 1) carry(*link, from, raw_peer::connected_to(port));
    }
  }
  static void carry(SSL& link, const raw_peer& from, const raw_peer& to) {
    std::array<char, 4096> some{};
    for (;;) {
      std::array<pollfd, 2> both{{{from.fd(), POLLIN, 0}, {to.fd(), POLLIN, 0}}};
      if (SSL_pending(&link) == 0) ::poll(both.data(), both.size(), -1);
      if (both[0].revents != 0 || SSL_pending(&link) > 0) {
        const int got = SSL_read(&link, some.data(), static_cast<int>(some.size()));
        if (got <= 0) return;
        to.say({some.data(), static_cast<std::size_t>(got)});
      }
      if (both[1].revents == 0) continue;
      const auto got = ::recv(to.fd(), some.data(), some.size(), 0);
      if (got <= 0) return;
      SSL_write(&link, some.data(), static_cast<int>(got));
    }
  }

  raw_peer door_ = raw_peer::listening();
  std::unique_ptr<SSL_CTX, freed> made_;
  std::jthread thread_;
};

class WebTls : public testing::Test {
 protected:
  static const authority& ours() {
    static const authority one("ours");
    return one;
  }
  static const authority::files& certified() {
    static const auto made = ours().issue("server", "DNS:localhost,IP:127.0.0.1");
    return made;
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
  const tls_front front(server, elsewhere);
  const auto url = "https://" + front.where() + "/";
  EXPECT_THAT(failure_of([&] { lines_of(url, {.trusted = ours().path()}); }).cause,
              HasSubstr(url + ": SSL: "));
}

// Without a handler, SIGPIPE would end the program.
TEST_F(WebTls, AServerThatGoesWhileItIsWrittenToIsAnError) {
  const web_server server({opened([](const raw_peer&, const std::string&) {})});
  const tls_front front(server, certified());
  const auto wss = "wss://" + front.where() + "/";
  const auto cause =
      failure_of([&] {
        tw::run(tw::websocket_messages(
                    wss, {.first = std::vector(100, std::string(1'000'000, 'x')), .trusted = ours().path()}) |
                tw::sink([](const tw::websocket_message&) {}));
      }).cause;
  EXPECT_EQ(cause, wss + ": the connection broke off");
}

TEST_F(WebTls, AServerMayWantToKnowTheClient) {
  const auto its = ours().issue("client", "DNS:client");
  const web_server server({saying({answer_of("a\n", "Connection: close\r\n")})});
  const tls_front front(server, certified(), ours().path());
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
