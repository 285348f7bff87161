// How far a run is, on standard error: `run_options::progress`.
#include <thalweg/thalweg.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../src/run/progress_line.hpp"
#include "support/eventually.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using namespace std::chrono_literals;
using testing::HasSubstr;
using tw::run_detail::progress_line;
using tw::run_detail::progress_text;

namespace {

// Two files of which the second gives what is written into the first.
struct ends {
  int in = -1, out = -1;
  ends() = default;
  ends(const ends&) = delete;
  ends& operator=(const ends&) = delete;
  ~ends() {
    ::close(in);
    ::close(out);
  }
  // What has been written, when it is all there: a terminal takes a moment.
  [[nodiscard]] std::string text_like(const std::string& expected) const {
    std::string all;
    (void)eventually([&] { return (all += text()).size() >= expected.size(); });
    return all;
  }
  // All that is there now.
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 4096> some{};
    for (;;) {
      const auto n = ::read(out, some.data(), some.size());
      if (n <= 0) return all;
      all.append(some.data(), static_cast<std::size_t>(n));
    }
  }
};

struct a_pipe : ends {
  a_pipe() {
    std::array<int, 2> both{};
    EXPECT_EQ(::pipe2(both.data(), O_NONBLOCK), 0);
    out = both[0];
    in = both[1];
  }
};

struct a_terminal : ends {
  explicit a_terminal(unsigned short columns) {
    out = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (out < 0 || ::grantpt(out) != 0 || ::unlockpt(out) != 0) return;
    in = ::open(::ptsname(out), O_RDWR | O_NOCTTY);
    const winsize size{24, columns, 0, 0};
    (void)::ioctl(in, TIOCSWINSZ, &size);
  }
};

tw::report report_of(std::chrono::nanoseconds elapsed, std::uint64_t items) {
  tw::report_data d;
  d.elapsed = elapsed;
  d.items = items;
  for (const auto* const name : {"read", "compress"}) {
    tw::stage_data s;
    s.name = name;
    s.kind = "map";
    s.totals.items_in = s.totals.sampled_items = items;
    s.totals.service_ns = static_cast<std::uint64_t>(elapsed.count()) * (s.name == "read" ? 1 : 3) / 2;
    s.replicas = 2;
    d.stages.push_back(s);
  }
  return tw::report(std::move(d));
}

TEST(ProgressText, SaysHowManyHowFastAndWhoIsBusiest) {
  const auto before = report_of(2s, 1'000), now = report_of(4s, 4'000);
  EXPECT_EQ(progress_text(now, now.since(before)), "4 000 items, 1.50 k/s, busiest: compress 75 %, 4.00 s");
  EXPECT_EQ(progress_text(tw::report(), tw::report()), "0 items, 0 /s, 0");
}

TEST(ProgressText, SaysThatThereWereErrorsAndThatItIsPaused) {
  tw::report_data d;
  d.items = 1;
  d.elapsed = d.paused = 1s;
  d.stages.resize(2);
  d.stages[0].totals.errors = 2;
  d.stages[1].totals.errors = 1;
  const tw::report r(std::move(d));
  EXPECT_EQ(progress_text(r, r), "1 item, 1.00 /s, 3 errors, paused, 1.00 s");
}

TEST(ProgressLine, WithoutATerminalALineIsAddedEveryTenSeconds) {
  const a_pipe to;
  progress_line line(to.in, false);
  const auto show = [&](std::chrono::nanoseconds at) {
    line.show(report_of(at, 5), report_of(1s, 5));
    return to.text();
  };
  EXPECT_EQ(show(9'999ms), "");
  EXPECT_EQ(show(10s), "5 items, 5.00 /s, busiest: compress 75 %, 10.0 s\n");
  EXPECT_EQ(show(19s), "");
  EXPECT_THAT(show(20s), HasSubstr("20.0 s\n"));
  line.end(report_of(21s, 21));
  EXPECT_EQ(to.text(), "21 items, 1.00 /s, busiest: compress 75 %, 21.0 s\n");
}

TEST(ProgressLine, NothingIsSaidOfARunThatEndsBefore) {
  const a_pipe to;
  progress_line line(to.in, false);
  line.show(report_of(9s, 5), report_of(9s, 5));
  line.end(report_of(9s, 5));
  const a_terminal other(80);
  progress_line(other.in, true).end(report_of(9s, 5));
  EXPECT_EQ(to.text() + other.text(), "");
}

TEST(ProgressLine, ATerminalHasOneLineWhichItsWidthBounds) {
  const a_terminal narrow(11);
  if (narrow.in < 0) GTEST_SKIP() << "there are no terminals";
  progress_line line(narrow.in, true);
  const auto expect = [&](const std::string& expected) { EXPECT_EQ(narrow.text_like(expected), expected); };
  line.show(report_of(1s, 100), report_of(1s, 100));
  expect("\r\x1b[K100 items,\r");
  line.show(report_of(2s, 200), report_of(1s, 100));
  expect("\r\x1b[K200 items,\r");
  line.end(report_of(2s, 200));
  expect("\r\x1b[K200 items, 100 /s, busiest: compress 75 %, 2.00 s\r\n");
}

// Writes on standard error as long as it lives.
class redirected {
 public:
  explicit redirected(int to) : before_(::dup(2)) { ::dup2(to, 2); }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;
  ~redirected() {
    ::dup2(before_, 2);
    ::close(before_);
  }

 private:
  int before_;
};

class Progress : public under_every_policy {};
FOR_EVERY_POLICY(Progress);

TEST_P(Progress, IsShownOnATerminalWhileARunGoesOn) {
  const a_terminal to(80);
  if (to.in < 0) GTEST_SKIP() << "there are no terminals";
  ::setenv("TERM", "xterm", 1);
  std::string seen;
  const auto job = tw::source([&, n = 0]() mutable -> std::optional<int> {
                     seen += to.text();
                     if (seen.find("\x1b[K") != std::string::npos) return std::nullopt;
                     std::this_thread::sleep_for(100us);
                     return n++;
                   }) |
                   tw::sink([](int) {});
  {
    const redirected here(to.in);
    tw::run(job, policy(), {.progress = true, .every = 1ms});
  }
  EXPECT_TRUE(eventually([&] { return (seen += to.text()).ends_with("\n"); })) << seen;
  EXPECT_THAT(seen, HasSubstr("/s, "));
}

TEST_P(Progress, IsNotShownUnlessAskedForNorInShortRuns) {
  const auto job = tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {});
  const a_terminal to(80);
  const a_pipe other;
  {
    const redirected here(to.in);
    tw::run(job, policy());
    tw::run(job, policy(), {.progress = true, .every = 1h});
  }
  {
    const redirected here(other.in);
    tw::run(job, policy(), {.progress = true, .every = 1ms});
  }
  EXPECT_EQ(to.text() + other.text(), "");
}

TEST_P(Progress, KnowsTerminalsThatCannotMoveTheCursor) {
  const a_terminal to(80);
  if (to.in < 0) GTEST_SKIP() << "there are no terminals";
  ::setenv("TERM", "dumb", 1);
  {
    const redirected here(to.in);
    progress_line line;
    line.show(report_of(1s, 1), report_of(1s, 1));
    line.show(report_of(10s, 1), report_of(1s, 1));
  }
  EXPECT_THAT(to.text_like("1 item, "), testing::StartsWith("1 item, "));
}

}  // namespace
