// The page that is saved when a run has ended.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "live/client.hpp"

using namespace live_test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

struct live_save : testing::Test {
  ~live_save() override { std::filesystem::remove(path); }

  [[nodiscard]] tw::live::options saving() const {
    auto how = often();
    how.save = path;
    return how;
  }
  [[nodiscard]] std::string page() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The graph and the samples in the page.
  [[nodiscard]] json state() const {
    const auto text = page();
    const std::string before = R"(<script type="application/json" id="saved">)";
    const auto begin = text.find(before) + before.size();
    return json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  }

  const std::string path =
      (std::filesystem::temp_directory_path() / ("live_save_" + std::to_string(::getpid()) + ".html"))
          .string();
};

auto three() {
  return tw::source(std::vector{1, 2, 3}) | tw::sink([](int) {});
}

std::string refusal(const tw::live::options& how) {
  try {
    const tw::live::server none(tw::launch(three()), how);
  } catch (const tw::error& e) {
    return e.what();
  }
  return "it was accepted";
}

}  // namespace

TEST_F(live_save, is_there_when_wait_returns_with_what_the_page_shows) {
  const tw::live::server shown(tw::launch(three()), saving());
  shown.wait();
  const auto saved = state();
  EXPECT_EQ(saved, get(shown.port(), "/api/state").as_json());
  EXPECT_EQ(saved["history"].back()["items"], 3);
  EXPECT_TRUE(saved["history"].back()["done"]);
  EXPECT_THAT(page(), StartsWith("<!DOCTYPE html>"));
}

TEST_F(live_save, titles_are_text_whatever_they_look_like) {
  auto how = saving();
  how.title = "</script><!--";
  const tw::live::server shown(tw::launch(three()), how);
  shown.wait();
  EXPECT_EQ(state()["graph"]["title"], how.title);
}

TEST_F(live_save, is_there_when_the_run_has_failed) {
  auto job = tw::source(std::vector{1}) | tw::sink([](int) { throw std::runtime_error("broken"); });
  const tw::live::server shown(tw::launch(job), saving());
  EXPECT_THROW(shown.wait(), tw::stage_error);
  EXPECT_TRUE(state()["history"].back()["done"]);
}

TEST_F(live_save, is_not_there_if_the_server_goes_before_the_run_has_ended) {
  { const tw::live::server shown(tw::launch(endless()), saving()); }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(live_save, replaces_a_file) {
  std::ofstream(path) << std::string(10'000'000, 'x');
  const tw::live::server shown(tw::launch(three()), saving());
  shown.wait();
  EXPECT_LT(std::filesystem::file_size(path), 2'000'000U);
}

TEST_F(live_save, a_place_that_cannot_be_written_is_refused_before_anything_is_served) {
  auto how = often();
  for (const std::string where : {"/no/such/folder/run.html", "/tmp"}) {
    how.save = where;
    EXPECT_THAT(refusal(how), HasSubstr("live::options: .save: cannot write '" + where + "'"));
  }
}
