// Streams through TLS: what comes, who can read it, and what becomes of those who cannot show who they are.
#include <thalweg/net/tcp.hpp>
#include <thalweg/net/tls.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "net/certificates.hpp"
#include "net/relay.hpp"
#include "net/sending.hpp"
#include "support/eventually.hpp"
#include "support/failure.hpp"
#include "support/scale.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

namespace {

using accepting = std::shared_ptr<const tw::net::accepting_security>;
using connecting = std::shared_ptr<const tw::net::connecting_security>;
using sides = std::pair<accepting, connecting>;

const std::string somewhere = "127.0.0.1:0";
const std::string secret = "a token that nobody can guess";

class Tls : public testing::Test {
 protected:
  static const authority& ours() {
    static const authority one("ours");
    return one;
  }
  static const authority& others() {
    static const authority one("others");
    return one;
  }
  static const authority::files& of_server() {
    static const auto made = ours().issue("server", "DNS:localhost,IP:127.0.0.1");
    return made;
  }
  static accepting server(const std::optional<std::string>& token = {}, const std::string& trusted = "") {
    return tw::tls_server(
        {.certificate = of_server().certificate, .key = of_server().key, .trusted = trusted, .token = token});
  }
  static connecting client(const std::optional<std::string>& token = {}) {
    return tw::tls_client({.trusted = ours().path(), .token = token});
  }
  static auto from(const tw::tcp_listener& here) {
    return tw::tcp_source<std::string>(here, {.come_within = 120s});
  }
  static auto to(const std::string& where, connecting with) {
    return tw::tcp_sink<std::string>(where, {.connect_within = 10s, .security = std::move(with)});
  }
  static std::string failure_of_sender(const std::string& where, connecting with) {
    return sending(tw::source(items(3)) | to(where, std::move(with))).failure();
  }
  static std::vector<std::string> items(int n) {
    std::vector<std::string> all;
    for (int i = 0; i < n; ++i)
      all.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i) * 37 % 400, '.'));
    return all;
  }
  /// What comes from a sender, while another one is refused before it. Why that was.
  static std::string refused(const accepting& receiver, const connecting& wrong, const connecting& right) {
    const tw::tcp_listener here(somewhere, receiver);
    std::string why;
    std::vector<std::string> seen;
    auto run = tw::launch(from(here) | tw::sink(seen));
    why = failure_of_sender(here.where(), wrong);
    EXPECT_EQ(failure_of_sender(here.where(), right), "");
    run.wait();
    EXPECT_EQ(seen, items(3));
    return why;
  }
};

TEST_F(Tls, ItemsComeInOrderAndNobodyElseReadsThem) {
  auto all = items(scaled(20'000));
  all.emplace_back(1'000'000, 'x');
  all.emplace_back("what nobody else reads");
  for (const auto& [receiver, sender_] :
       {sides{{}, {}}, sides{server(), client()}, sides{server(secret), client(secret)},
        sides{tw::tls_token(secret), tw::tls_token(secret)}}) {
    const tw::tcp_listener here(somewhere, receiver);
    const relay between(here.port());
    sending sender(tw::source(all) | to(between.where(), sender_));
    std::vector<std::string> seen;
    tw::run(from(here) | tw::sink(seen));
    EXPECT_EQ(sender.failure(), "");
    EXPECT_TRUE(seen == all);
    EXPECT_EQ(between.sent().find(all.back()) == std::string::npos, receiver != nullptr);
    EXPECT_EQ(between.sent().find(secret), std::string::npos);
  }
}

TEST_F(Tls, ASenderComesBackWhenItsConnectionBreaks) {
  for (const auto& [receiver, sender_] :
       {sides{server(secret), client(secret)}, sides{tw::tls_token(secret), tw::tls_token(secret)}}) {
    const tw::tcp_listener here(somewhere, receiver);
    relay between(here.port());
    const auto all = items(3'000);
    std::atomic<int> cuts{0};
    sending sender(tw::source([&, n = std::size_t{0}]() mutable -> std::optional<std::string> {
                     // Not at its end: a receiver that has all is gone, whatever the sender has heard of it.
                     if (n == 2'500 && !eventually([&] { return cuts == 2; })) return {};
                     return n < all.size() ? std::optional(all[n++]) : std::nullopt;
                   }) |
                   to(between.where(), sender_));
    std::vector<std::string> seen;
    tw::run(from(here) | tw::sink([&](const std::string& x) {
              seen.push_back(x);
              if (seen.size() % 1'000 != 500 || cuts == 2) return;
              between.cut();
              ++cuts;
            }));
    EXPECT_EQ(sender.failure(), "");
    EXPECT_TRUE(seen == all);
  }
}

TEST_F(Tls, AReceiverOfAWrongCertificateEndsTheSendersRunAlone) {
  EXPECT_THAT(refused(server(), tw::tls_client({.trusted = others().path()}), client()),
              AllOf(HasSubstr("127.0.0.1:"), HasSubstr("its certificate cannot be trusted: ")));
  EXPECT_THAT(refused(server(), tw::tls_client({.trusted = ours().path(), .name = "elsewhere"}), client()),
              HasSubstr("its certificate cannot be trusted: hostname mismatch"));
  EXPECT_THAT(refused(server(), tw::tls_client(), client()), HasSubstr("its certificate cannot be trusted"));
}

TEST_F(Tls, ASenderOfAWrongCertificateIsPassedOver) {
  const auto its = ours().issue("sender", "DNS:sender");
  const auto of_others = others().issue("stranger", "DNS:sender");
  const auto with = [](const authority::files& one) {
    return tw::tls_client({.trusted = ours().path(), .certificate = one.certificate, .key = one.key});
  };
  const auto receiver = server({}, ours().path());
  EXPECT_THAT(refused(receiver, client(), with(its)), HasSubstr("it refuses: "));
  EXPECT_THAT(refused(receiver, with(of_others), with(its)), HasSubstr("it refuses: "));
}

TEST_F(Tls, AWrongTokenIsPassedOver) {
  const auto wrong = secret + "!";
  EXPECT_THAT(refused(server(secret), client(wrong), client(secret)), HasSubstr("it expects another token"));
  EXPECT_THAT(refused(server(secret), client(), client(secret)), HasSubstr("it expects another token"));
  EXPECT_THAT(refused(tw::tls_token(secret), tw::tls_token(wrong), tw::tls_token(secret)),
              HasSubstr("its token is wrong or missing"));
}

TEST_F(Tls, OneSideAloneIsToldSo) {
  EXPECT_THAT(refused(server(), {}, client()), HasSubstr("it does not speak TLS"));
  EXPECT_THAT(refused(tw::tls_token(secret), {}, tw::tls_token(secret)), HasSubstr("it does not speak TLS"));
  EXPECT_NE(refused(tw::tls_token(secret), client(), tw::tls_token(secret)), "");
  EXPECT_NE(refused(server(), tw::tls_token(secret), client()), "");
  // Without TLS anybody who comes ends the run.
  const tw::tcp_listener here(somewhere);
  sending sender(tw::source(items(3)) | to(here.where(), client()));
  const auto f = failure_of([&] { tw::run(from(here) | tw::sink([](const std::string&) {})); });
  EXPECT_THAT(f.cause, HasSubstr("it speaks TLS, but this side does not"));
  EXPECT_THAT(sender.failure(), HasSubstr("it does not speak TLS"));
}

// Each side has a type of its own: one cannot be given for the other.
static_assert(!std::is_convertible_v<accepting, connecting> && !std::is_convertible_v<connecting, accepting>);

TEST_F(Tls, WhoSaysNothingHoldsNobodyUp) {
  const tw::tcp_listener here(somewhere, tw::tls_token(secret));
  std::vector<raw_peer> silent;
  std::string cause;
  {
    const std::jthread receiver([&] {
      cause = failure_of([&] {
                tw::run(tw::tcp_source<std::string>(here, {.come_within = 6s}) |
                        tw::sink([](const std::string&) {}));
              }).cause;
    });
    for (int i = 0; i < 20; ++i) silent.push_back(raw_peer::connected_to(here.port()));
  }
  EXPECT_THAT(cause, HasSubstr("no sender has connected to"));
  sending sender(tw::source(items(3)) | to(here.where(), tw::tls_token(secret)));
  std::vector<std::string> seen;
  tw::run(from(here) | tw::sink(seen));
  EXPECT_EQ(seen, items(3));
}

TEST_F(Tls, WhoWasRefusedIsTold) {
  const tw::tcp_listener here(somewhere, server(secret));
  std::atomic<bool> tried{false};
  sending sender(tw::source(items(3)) | to(here.where(), client()));
  tw::net::inlet from(here, {.come_within = 300s, .given_up = [&] { return tried.load(); }});
  std::jthread waits([&] { EXPECT_FALSE(from.await_sender()); });
  EXPECT_THAT(sender.failure(), HasSubstr("it expects another token"));
  tried = true;
  waits.join();
}

// As a sender does that gives its stream up where the connection takes no more: what has begun goes first.
TEST_F(Tls, WhatHasBegunIsFinishedWithFewerBytes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  const raw_peer owner(ends[0]), other(ends[1]);
  const auto both = tw::tls_token(secret);
  const auto out = both->of_connected(ends[0], {}), in = both->of_accepted(ends[1]);
  for (short one = 1, two = 1; one != 0 || two != 0;) {
    one = out->shake_hands();
    two = in->shake_hands();
  }
  std::vector<std::byte> all(10'000'000), came;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i % 251);
  const auto sent = out->send_some(all);
  ASSERT_LT(sent, all.size() - 100'000) << "the socket holds more than it should";
  const auto begun = out->begun();
  ASSERT_GT(begun, 0U);
  const auto rest = std::span<const std::byte>(all).subspan(sent, begun);
  std::vector<std::byte> some(5'000);
  while (came.size() < sent + begun) {
    const auto now = out->begun() > 0 ? out->send_some(rest) : 0;
    EXPECT_EQ(now, now == 0 ? 0 : begun);
    const auto got = in->receive_some(some);
    came.insert(came.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(got));
    EXPECT_EQ(in->has_more(), got == some.size());
  }
  EXPECT_TRUE(std::equal(came.begin(), came.end(), all.begin()));
}

TEST_F(Tls, FilesAndTokensThatCannotBeUsed) {
  const auto says = [](auto make) {
    try {
      make();
    } catch (const tw::network_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto& good = of_server();
  const auto empty = ours().dir().write("empty.pem", "").string();
  EXPECT_THAT(says([&] { tw::tls_server({.certificate = "/none.pem", .key = good.key}); }),
              HasSubstr("the certificate in '/none.pem' cannot be used: No such file or directory"));
  EXPECT_THAT(says([&] { tw::tls_server({.certificate = empty, .key = good.key}); }),
              HasSubstr("the certificate in '" + empty + "' cannot be used: no start line"));
  const auto other = ours().issue("other", "DNS:other");
  EXPECT_THAT(says([&] { tw::tls_server({.certificate = good.certificate, .key = other.key}); }),
              HasSubstr("the key in '" + other.key + "' cannot be used: key values mismatch"));
  EXPECT_THAT(says([&] { tw::tls_client({.trusted = empty}); }),
              HasSubstr("the trusted certificates in '" + empty));
  EXPECT_THAT(says([&] { tw::tls_server({.certificate = good.certificate, .key = good.key, .token = ""}); }),
              HasSubstr("a token of 0 bytes can be guessed"));
  EXPECT_THAT(says([] { tw::tls_token("short"); }),
              HasSubstr("a token of 5 bytes can be guessed: it needs 16"));
}

}  // namespace
