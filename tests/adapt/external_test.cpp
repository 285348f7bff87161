// Controllers outside the program, over real sockets: what they see, what they may do, and that none of them
// does harm to a run.
#include <thalweg/adapt/controlled_by.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/adapt/controllers.hpp"
#include "adapt/stage.hpp"
#include "net/raw_peer.hpp"
#include "support/refusal.hpp"

namespace tw = thalweg;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tw::adaptation::replicas_wanted;

namespace {

class folder {
 public:
  folder() {
    auto name = (std::filesystem::temp_directory_path() / "thalweg-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    path_ = name;
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string socket() const { return path_ / "run.sock"; }

 private:
  std::filesystem::path path_;
};

// What runs do with a planner, window by window.
class controlled {
 public:
  explicit controlled(const std::string& address) : plan_(tw::controlled_by(address).begin()) {
    seen_.stages = {stage("read", {}), stage("compress", {0}, 1, 8), stage("write", {1}, 1, 4)};
    seen_.run_length = std::chrono::nanoseconds(0);
  }

  tw::adaptation::changes show() {
    ++seen_.number;
    return plan_(seen_);
  }
  [[nodiscard]] std::uint64_t shown() const { return seen_.number; }

 private:
  tw::adaptation::planner::function plan_;
  tw::adaptation::window seen_;
};

// A controller that does what a test says.
class controller {
 public:
  explicit controller(const std::string& path) : peer_(raw_peer::connected_to(path)) {}
  explicit controller(std::uint16_t port) : peer_(raw_peer::connected_to(port)) {}

  bool say(std::string_view text) { return peer_.say(text); }
  bool say_line(std::string_view text) { return peer_.say(std::string(text) + "\n"); }
  /// Says as much as the socket takes without waiting, and returns how much that was.
  std::size_t say_some(std::string_view text) {
    const auto sent = ::send(peer_.fd(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  /// The next line, without its end; none: the run has closed the connection.
  std::optional<std::string> line() {
    for (;;) {
      if (const auto end = heard_.find('\n'); end != heard_.npos) {
        auto one = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        return one;
      }
      char some[4096];
      const auto got = ::recv(peer_.fd(), some, sizeof some, 0);
      if (got <= 0) return std::nullopt;
      heard_.append(some, static_cast<std::size_t>(got));
    }
  }
  [[nodiscard]] bool has_more() const {
    pollfd one{peer_.fd(), POLLIN, 0};
    return !heard_.empty() || ::poll(&one, 1, 0) > 0;
  }
  /// The next line that is an answer; null: the run has closed the connection.
  json answer() {
    while (auto text = line()) {
      auto said = json::parse(*text);
      if (!said.contains("stages")) return said;
    }
    return {};
  }
  /// The next line that is a window; null: the run has closed the connection.
  json window() {
    while (auto text = line()) {
      auto said = json::parse(*text);
      if (said.contains("stages")) return said;
    }
    return {};
  }
  json ask(std::string_view document) { return say_line(document) ? answer() : json(); }
  void hang_up() { peer_.hang_up(); }
  void cut() { peer_.cut(); }
  void close() { peer_ = raw_peer(); }
  /// What it has heard of a line that has no end.
  [[nodiscard]] const std::string& rest() const { return heard_; }

 private:
  raw_peer peer_;
  std::string heard_;
};

// Shows windows until a controller, which may have only just connected, has got one; there may be newer ones.
json first_window(controlled& run, controller& one) {
  while (!one.has_more()) (void)run.show();
  return one.window();
}

// The same, and then up to the last window that was shown.
json newest_window(controlled& run, controller& one) {
  auto seen = first_window(run, one);
  while (seen["seq"] != run.shown()) seen = one.window();
  return seen;
}

std::string wants(std::uint64_t seq, int replicas, std::string_view stage = "compress") {
  return R"({"v":1,"seq":)" + std::to_string(seq) + R"(,"replicas":{")" + std::string(stage) +
         "\":" + std::to_string(replicas) + "}}";
}

std::vector<replicas_wanted> compress(int replicas) {
  return {{"compress", replicas}};
}

}  // namespace

TEST(External, IsAPlannerWithAName) {
  EXPECT_EQ(tw::controlled_by("unix:/tmp/x.sock").name(), "external");
  EXPECT_FALSE(std::filesystem::exists("/tmp/x.sock"));  // no run has begun
}

TEST(External, SaysWhatIsWrongWithAnAddress) {
  for (const auto* const wrong :
       {"", "unix:", "/tmp/x.sock", "tcp:7000", "tcp::7000", "tcp:host:port", "http://x"})
    EXPECT_THAT(refusal_of([&] { (void)tw::controlled_by(wrong); }), HasSubstr("address")) << wrong;
  EXPECT_THAT(refusal_of([] { controlled run("unix:/nonexistent/x.sock"); }), HasSubstr("cannot listen at"));
  EXPECT_THAT(refusal_of([] { controlled run("unix:/" + std::string(200, 'x')); }), HasSubstr("bytes"));
}

TEST(External, ShowsWindowsAndDoesWhatIsAsked) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  EXPECT_TRUE(run.show().none());
  controller one(temporary.socket());
  const auto seen = first_window(run, one);
  EXPECT_EQ(seen["v"], 1);
  EXPECT_LE(seen["seq"], run.shown());
  EXPECT_EQ(seen["stages"][1]["name"], "compress");
  EXPECT_FALSE(seen["run"].get<std::string>().empty());

  EXPECT_EQ(one.ask(wants(seen["seq"], 5)), json({{"ack", seen["seq"]}, {"replicas", {{"compress", 5}}}}));
  const auto asked = run.show();
  EXPECT_EQ(asked.replicas, compress(5));
  EXPECT_THAT(asked.reason, HasSubstr("a controller"));
  EXPECT_TRUE(run.show().none());  // it is done once
  EXPECT_EQ(one.window()["run"], seen["run"]);
}

TEST(External, AsksForOtherThingsThanReplicas) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  EXPECT_EQ(first_window(run, one)["run_length_us"], 0);
  const json taken = {{"ack", 1}, {"run_length_us", 500}, {"clamped", {"run_length_us"}}};
  EXPECT_EQ(one.ask(R"({"v":1,"seq":1,"run_length_us":9999})"), taken);
  EXPECT_EQ(run.show().run_length, std::chrono::microseconds(500));
  const auto refused = one.ask(R"({"v":1,"seq":2,"run_length_us":50,"ranks":{"wanted":2}})");
  EXPECT_THAT(refused["refused"], testing::SizeIs(1));
  EXPECT_TRUE(run.show().none()) << "nothing of it counts";
}

TEST(External, RunsHaveDifferentNames) {
  const folder temporary;
  json before;
  for (int i = 0; i < 2; ++i) {
    controlled run("unix:" + temporary.socket());
    controller one(temporary.socket());
    const auto seen = first_window(run, one);
    EXPECT_NE(seen["run"], before);
    before = seen["run"];
  }
}

TEST(External, WorksOverTcp) {
  tw::adaptation::controllers all(tw::adaptation::controller_address::parse("tcp:127.0.0.1:0"), "r");
  controller one(all.where().host.port);
  tw::adaptation::window seen;
  seen.stages = {stage("compress", {}, 1, 8)};
  while (!one.has_more()) {
    ++seen.number;
    EXPECT_TRUE(all.show(seen).none());
  }
  EXPECT_EQ(one.window()["run"], "r");
  one.ask(wants(1, 3));
  EXPECT_EQ(all.show(seen).replicas, compress(3));
}

TEST(External, ALocalSocketIsForThisUserAloneAndGoesWithTheRun) {
  const folder temporary;
  {
    controlled run("unix:" + temporary.socket());
    struct stat its {};
    ASSERT_EQ(::stat(temporary.socket().c_str(), &its), 0);
    EXPECT_TRUE(S_ISSOCK(its.st_mode));
    EXPECT_EQ(its.st_mode & 0777U, 0600U);
  }
  EXPECT_FALSE(std::filesystem::exists(temporary.socket()));
}

TEST(External, ASocketThatWasLeftBehindIsReplacedAndNothingElse) {
  const folder temporary;
  {
    // What a program leaves that is killed.
    std::filesystem::create_directory(temporary.socket() + ".d");
    const auto aside = temporary.socket() + ".d/s";
    {
      tw::net::local_listener left(aside);
      std::filesystem::rename(aside, temporary.socket());
    }
  }
  ASSERT_TRUE(std::filesystem::exists(temporary.socket()));
  {
    controlled run("unix:" + temporary.socket());
    controller one(temporary.socket());
    first_window(run, one);
    // Another run does not take it away, and does not remove it.
    EXPECT_THAT(refusal_of([&] { controlled second("unix:" + temporary.socket()); }), HasSubstr("in use"));
    controller two(temporary.socket());
    first_window(run, two);
  }
  std::ofstream(temporary.socket()) << "a file";
  EXPECT_THAT(refusal_of([&] { controlled run("unix:" + temporary.socket()); }), HasSubstr("in use"));
  EXPECT_TRUE(std::filesystem::is_regular_file(temporary.socket()));
}

TEST(External, ARunDoesNotRemoveTheSocketOfAnother) {
  const folder temporary;
  std::optional<controlled> run(std::in_place, "unix:" + temporary.socket());
  std::filesystem::remove(temporary.socket());
  controlled next("unix:" + temporary.socket());
  run.reset();
  controller one(temporary.socket());
  first_window(next, one);
}

TEST(External, NewerDocumentsReplaceOlderOnesOfTheSameWindow) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  first_window(run, one);
  one.ask(wants(1, 5));
  one.ask(wants(2, 3, "write"));
  EXPECT_THAT(run.show().replicas, ElementsAre(replicas_wanted{"write", 3}));
  one.ask(wants(3, 5));
  one.ask(R"({"v":1,"seq":4,"hold":true})");
  EXPECT_TRUE(run.show().none());
}

TEST(External, OldDocumentsAreIgnored) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  first_window(run, one);
  one.ask(wants(7, 5));
  for (const std::uint64_t old : {7U, 6U, 1U, 0U})
    EXPECT_TRUE(one.ask(wants(old, 2)).contains("ignored")) << old;
  EXPECT_EQ(run.show().replicas, compress(5));
  EXPECT_TRUE(one.ask(wants(7, 2)).contains("ignored"));
  EXPECT_TRUE(run.show().none());
}

TEST(External, ASeqBelongsToOneController) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket()), next(temporary.socket());
  first_window(run, one);
  one.ask(wants(18446744073709551615U, 5));
  EXPECT_EQ(run.show().replicas, compress(5));
  one.close();
  while (next.ask(wants(1, 2)).contains("refused")) EXPECT_TRUE(run.show().none());
  EXPECT_EQ(run.show().replicas, compress(2));
}

TEST(External, UnknownNamesRefuseTheWholeDocument) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  first_window(run, one);
  const auto answer = one.ask(R"({"v":1,"seq":1,"replicas":{"compress":5,"nosuch":2}})");
  EXPECT_EQ(answer["ack"], 1);
  EXPECT_THAT(answer["refused"][0].get<std::string>(), HasSubstr("'nosuch'"));
  EXPECT_TRUE(run.show().none());
  EXPECT_TRUE(one.ask(wants(1, 5)).contains("replicas"));  // what is refused uses up no seq
}

TEST(External, ADocumentBeforeTheFirstWindowIsRefused) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  EXPECT_THAT(one.ask(wants(1, 5))["refused"][0].get<std::string>(), HasSubstr("no window yet"));
  EXPECT_TRUE(run.show().none());
}

TEST(External, OneDecidesAndTheOthersWatch) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller decides(temporary.socket()), watches(temporary.socket());
  first_window(run, decides);
  first_window(run, watches);
  decides.ask(wants(1, 5));
  const auto answer = watches.ask(wants(9, 2));
  EXPECT_EQ(answer["ack"], 9);
  EXPECT_THAT(answer["refused"][0].get<std::string>(), HasSubstr("another controller decides"));
  EXPECT_EQ(run.show().replicas, compress(5));
  newest_window(run, watches);
  // Until it leaves: then the next one that says something decides.
  decides.close();
  while (watches.ask(wants(9, 2)).contains("refused")) EXPECT_TRUE(run.show().none());
  EXPECT_EQ(run.show().replicas, compress(2));
}

TEST(External, WhatIsRefusedDoesNotMakeADecider) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller lies(temporary.socket()), decides(temporary.socket());
  first_window(run, lies);
  first_window(run, decides);
  EXPECT_TRUE(lies.ask("garbage").contains("refused"));
  EXPECT_TRUE(lies.ask(R"({"v":1,"seq":99,"replicas":{"nosuch":1}})").contains("refused"));
  EXPECT_FALSE(decides.ask(wants(1, 5)).contains("refused"));
}

TEST(External, WhoSaysOneThingAndGoesIsHeard) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  run.show();
  {
    controller one(temporary.socket());
    one.say_line(wants(1, 5));
  }
  auto asked = run.show();
  while (asked.none()) asked = run.show();
  EXPECT_EQ(asked.replicas, compress(5));
}

TEST(External, WhoSaysNothingMoreMayStillListen) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  run.show();
  controller one(temporary.socket());
  one.say_line(wants(1, 5));
  one.hang_up();
  EXPECT_EQ(one.answer()["ack"], 1);
  EXPECT_EQ(run.show().replicas, compress(5));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first_window(run, one)["v"], 1);
  // But it does not decide any more.
  controller next(temporary.socket());
  EXPECT_TRUE(next.ask(wants(1, 2)).contains("replicas"));
}

TEST(External, SilenceChangesNothing) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller silent(temporary.socket());
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(run.show().none());
}

TEST(External, GarbageChangesNothing) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller one(temporary.socket());
  first_window(run, one);
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    std::string garbage(1 + random() % 300, ' ');
    for (auto& c : garbage) {
      c = static_cast<char>(random());
      if (c == '\n') c = 'n';
    }
    const auto answer = one.ask("x" + garbage);
    ASSERT_TRUE(answer["ack"].is_null()) << answer;
    ASSERT_TRUE(answer.contains("refused")) << answer;
    ASSERT_TRUE(run.show().none());
  }
  EXPECT_TRUE(one.say("\n\r\n  \n"));  // lines of nothing are not even answered
  EXPECT_EQ(one.ask(wants(1, 5))["ack"], 1);
  EXPECT_EQ(run.show().replicas, compress(5));
}

TEST(External, HalfADocumentIsNone) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  const auto document = wants(1, 5);
  {
    controller one(temporary.socket());
    first_window(run, one);
    one.say(document);  // without the end of the line
    one.hang_up();
    for (int i = 0; i < 3; ++i) {
      while (!one.has_more()) EXPECT_TRUE(run.show().none());
      one.window();
    }
  }
  controller one(temporary.socket());
  first_window(run, one);
  for (const char c : document) {
    one.say({&c, 1});
    EXPECT_TRUE(run.show().none());
  }
  one.say("\n");
  EXPECT_EQ(one.answer()["ack"], 1);
  EXPECT_EQ(run.show().replicas, compress(5));
}

TEST(External, AnEndlessLineEndsTheConnection) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller endless(temporary.socket()), other(temporary.socket());
  first_window(run, endless);
  first_window(run, other);
  std::uint64_t said = 0;
  while (endless.say(std::string(4096, '7'))) {
    said += 4096;
    EXPECT_TRUE(run.show().none());
  }
  EXPECT_LT(said, 10'000'000U);  // what sockets hold
  other.ask(wants(1, 5));
  EXPECT_EQ(run.show().replicas, compress(5));
}

TEST(External, WhoDoesNotReadMissesWindowsAndNeverHalfOfOne) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller slow(temporary.socket()), quick(temporary.socket());
  const std::uint64_t begin = first_window(run, slow)["seq"];
  first_window(run, quick);
  // Far more than a socket holds.
  std::uint64_t last = run.shown();
  for (int i = 0; i < 5'000; ++i) {
    EXPECT_TRUE(run.show().none());
    while (last < run.shown() && quick.has_more()) last = quick.window()["seq"];
  }
  while (last < run.shown()) last = quick.window()["seq"];
  std::uint64_t before = begin, count = 0;
  while (before < run.shown()) {
    const std::uint64_t seq = slow.window()["seq"];  // each is valid JSON
    ASSERT_GT(seq, before);
    before = seq;
    ++count;
  }
  EXPECT_LT(count, run.shown() - begin);
}

// Its answers must not pile up, so it is not heard any more.
TEST(External, AFloodOfOneThatDoesNotReadIsHeldBack) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller flood(temporary.socket()), other(temporary.socket());
  first_window(run, flood);
  first_window(run, other);
  std::string documents;
  for (int i = 0; i < 64; ++i) documents += "garbage\n";
  std::size_t said = 0;
  int rounds_without = 0;
  while (rounds_without < 20 && said < 100'000'000) {
    const auto more = flood.say_some(documents);
    said += more;
    rounds_without = more == 0 ? rounds_without + 1 : 0;
    EXPECT_TRUE(run.show().none());
    EXPECT_TRUE(other.ask("garbage").contains("refused"));  // all have been heard by now
  }
  EXPECT_LT(said, 100'000'000U);  // as much as sockets hold, and as its answers take that wait
}

TEST(External, ANumberOfDocumentsIsReadInAWindow) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller flood(temporary.socket()), other(temporary.socket());
  first_window(run, other);
  newest_window(run, flood);
  std::string documents;
  for (int i = 1; i <= 150; ++i) documents += wants(static_cast<std::uint64_t>(i), 5) + "\n";
  ASSERT_TRUE(flood.say(documents));
  auto window = run.shown();
  for (const int expected : {64, 64, 22}) {
    for (int answers = 0; answers < expected || window < run.shown();) {
      const auto said = json::parse(*flood.line());
      if (said.contains("stages"))
        window = said["seq"];
      else
        ++answers;
    }
    for (int i = 0; i < 3; ++i) other.ask("garbage");  // all have been heard by now
    EXPECT_FALSE(flood.has_more());
    EXPECT_EQ(run.show().replicas, compress(5));
  }
}

TEST(External, TenThousandDocumentsAreAllAnswered) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  controller flood(temporary.socket());
  first_window(run, flood);
  constexpr std::uint64_t documents = 10'000;
  std::thread says([&] {
    for (std::uint64_t seq = 1; seq <= documents; ++seq)
      flood.say_line(wants(seq, 1 + static_cast<int>(seq % 8)));
  });
  std::atomic<bool> all{false};
  std::thread hears([&] {
    for (std::uint64_t seq = 1; seq <= documents; ++seq)
      if (const auto ack = flood.answer(); ack["ack"] != seq) {
        ADD_FAILURE() << ack;
        break;
      }
    all = true;
  });
  std::optional<tw::adaptation::changes> last;
  while (!all) {
    if (auto asked = run.show(); !asked.none()) last = std::move(asked);
  }
  says.join();
  hears.join();
  if (auto asked = run.show(); !asked.none()) last = std::move(asked);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->replicas, compress(1 + documents % 8));
}

TEST(External, ControllersThatComeAndGoAtOnce) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  std::atomic<bool> over{false};
  std::thread comes([&] {
    for (int i = 0; i < 2'000; ++i) {
      controller one(temporary.socket());
      if (i % 3 == 0) one.say("{\"half");
      if (i % 5 == 0) one.say_line(wants(1, 2));
    }
    over = true;
  });
  while (!over) EXPECT_LE(run.show().replicas.size(), 1U);
  comes.join();
  controller one(temporary.socket());
  while (!one.has_more()) (void)run.show();
  EXPECT_EQ(one.window()["v"], 1);
}

TEST(External, TooManyAreTurnedAway) {
  const folder temporary;
  controlled run("unix:" + temporary.socket());
  std::list<controller> all;
  for (int i = 0; i < 16; ++i) {
    all.emplace_back(temporary.socket());
    first_window(run, all.back());
  }
  controller one(temporary.socket());
  EXPECT_THAT(one.answer()["refused"][0].get<std::string>(), HasSubstr("too many"));
  EXPECT_FALSE(one.line());
  all.pop_front();
  for (bool in = false; !in;) {
    controller next(temporary.socket());
    run.show();
    while (!next.has_more()) run.show();
    in = json::parse(*next.line()).contains("stages");
  }
}

TEST(External, TheEndOfARunEndsItsConnections) {
  const folder temporary;
  std::optional<controlled> run(std::in_place, "unix:" + temporary.socket());
  controller reads(temporary.socket()), floods(temporary.socket());
  first_window(*run, reads);
  first_window(*run, floods);
  reads.ask(wants(1, 5));
  std::thread says([&] {
    while (floods.say_line("garbage")) {
    }
  });
  run.reset();
  while (reads.line()) {
  }
  EXPECT_THAT(reads.rest(), IsEmpty());
  says.join();
}
