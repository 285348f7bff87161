#include "apps/mandelbrot/mandelbrot.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <mandelbrot.hpp>

#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace mandelbrot = apps::mandelbrot;

/// A small picture of the whole set.
class Mandelbrot : public run_test {
 protected:
  void SetUp() override { write(file, mandelbrot::text_of(scene)); }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(file, more); }

  /// What the operators make of it without the interface.
  std::string drawn() const {
    mandelbrot::source source(scene);
    mandelbrot::sink sink(path("plain"), scene);
    while (auto line = source()) sink(mandelbrot::draw(scene, std::move(*line)));
    sink.close();
    return read(path("plain"));
  }

  const mandelbrot::scene scene{24, 17, 100, -0.6, 0.1, 3};
  const std::filesystem::path file = path("scene.txt");
};

TEST_F(Mandelbrot, IsDrawnInAnyOrderAndInBatches) {
  const auto good = drawn();
  begin();
  run_in_order<spb::Item, spb::Source, spb::Mandelbrot, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
  begin({"-batch-size", "4", "-in-memory"});
  run_in_reverse<spb::Item, spb::Source, spb::Mandelbrot, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(Mandelbrot, ThreadsMayShareTheStream) {
  begin();
  run_in_two_threads<spb::Item, spb::Source, spb::Mandelbrot, spb::Sink>();
  end();
  EXPECT_EQ(read(output()), drawn());
}

TEST_F(Mandelbrot, ALineThatIsMissingIsAnError) {
  begin();
  spb::Item first, second;
  ASSERT_TRUE(spb::Source::op(first));
  ASSERT_TRUE(spb::Source::op(second));
  spb::Mandelbrot::op(second);
  spb::Sink::op(second);
  EXPECT_EXIT(end(), ExitedWithCode(1), "output' is not written: line 0 is missing");
  EXPECT_FALSE(std::filesystem::exists(output()));
}

TEST_F(Mandelbrot, ALineThatWasNotDrawnIsAnError) {
  begin();
  run_in_order<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "line 0 was not drawn");
}

TEST_F(Mandelbrot, ASceneThatIsNoneIsNamed) {
  write(file, "width 10\n");
  EXPECT_EXIT(begin(), ExitedWithCode(1), "scene.txt' has no 'height'");
}

TEST_F(Mandelbrot, TheSceneIsNeverTheOutput) {
  are_never_the_output(file, {file});
}

}  // namespace
