#include "apps/person_recognition/person_recognition.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <person_recognition.hpp>

#include "apps/person_recognition/inputs.hpp"
#include "apps/support/cache.hpp"
#include "apps/support/film/film.hpp"
#include "run.hpp"

namespace {

using testing::ExitedWithCode;
using testing::HasSubstr;
namespace person = apps::person_recognition;
namespace fs = std::filesystem;

/// The first frames of the input `test` with four people, and some of its gallery.
class Person : public run_test {
 protected:
  static void SetUpTestSuite() { input = apps::provide_input(person::about(), "test"); }

  void SetUp() override {
    apps::film_reader from(input / person::film_file);
    apps::film_writer to(film, from.format());
    for (int i = 0; i < 3; ++i) to.add_packed(from.next_packed());
    to.close();
    for (const auto* name : {"wanted-00.jpg", "wanted-01.jpg", "person01-00.jpg"})
      fs::copy_file(input / name, path(name));
  }

  void begin(std::initializer_list<std::string> more = {}) { begin_with(film, more); }

  /// What the operators make of the film without the interface.
  std::string found() const {
    person::face_finder find(person::usual_cascade());
    const person::gallery known(film.parent_path(), find);
    person::source source(film);
    person::detect detect(person::usual_cascade());
    const person::recognize recognize(known);
    person::sink sink(path("plain.avi"), source);
    while (auto frame = source()) sink(recognize(detect(std::move(*frame))));
    sink.close();
    return read(path("plain.avi"));
  }

  inline static fs::path input;
  const fs::path film = path("crowd.avi");
};

TEST_F(Person, ThreadsGiveWhatOperatorsGiveWithoutTheInterface) {
  const auto good = found();
  begin();
  {
    SharedQueue<spb::Item> in_order(2, 2, queue_order::by_item);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        for (spb::Item item; spb::Source::op(item);) {
          spb::Detect::op(item);
          spb::Recognize::op(item);
          in_order.enqueue(std::move(item));
        }
        in_order.close();
      });
    for (spb::Item item; in_order.dequeue(item);) spb::Sink::op(item);
  }
  end();
  EXPECT_EQ(read(output()), good);
}

TEST_F(Person, APictureWithoutFaceIsNamed) {
  const std::vector<std::uint8_t> grey(std::size_t{3} * 64 * 64, 128);
  write(path("wanted-02.jpg"), std::string(apps::jpeg_encoder(90)(grey.data(), {64, 64})));
  testing::internal::CaptureStderr();
  begin();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(HasSubstr("program: no face is found in"), HasSubstr("wanted-02.jpg")));
}

TEST_F(Person, AGalleryWithoutTheWantedPersonIsAnError) {
  fs::remove(path("wanted-00.jpg"));
  fs::remove(path("wanted-01.jpg"));
  EXPECT_EXIT(begin(), ExitedWithCode(1), "no picture that shows the face of 'wanted'");
}

TEST_F(Person, FilmAndGalleryAreNeverTheOutput) {
  are_never_the_output(film, {film, path("wanted-01.jpg")});
}

TEST_F(Person, FramesOutOfOrderAreAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "frame 1 came where frame 0 was due");
}

}  // namespace
