// Matrices as bytes: of all types and shapes, with what lies between their rows left out.
#include <thalweg/model/opencv.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <opencv2/core.hpp>

#include "model/by_blocks.hpp"

namespace tw = thalweg;

namespace {

cv::Mat filled(int rows, int columns, int type) {
  cv::Mat made(rows, columns, type);
  const auto n = made.total() * made.elemSize();
  for (std::size_t i = 0; i < n; ++i) made.data[i] = static_cast<uchar>(i * 7 + i / 251);
  return made;
}

bool same(const cv::Mat& a, const cv::Mat& b) {
  if (a.type() != b.type() || a.dims != b.dims) return false;
  for (int i = 0; i < a.dims; ++i)
    if (a.size[i] != b.size[i]) return false;
  const auto x = a.clone(), y = b.clone();  // whose elements follow each other
  return x.empty() || std::memcmp(x.data, y.data, x.total() * x.elemSize()) == 0;
}

// By its bytes alone, and with its large parts from where they lie.
void comes_back(const cv::Mat& x, std::size_t blocks) {
  std::vector<std::byte> bytes;
  tw::encode(x, bytes);
  const auto copied = tw::decode<cv::Mat>(bytes);
  EXPECT_TRUE(same(copied, x));
  EXPECT_TRUE(copied.empty() || copied.isContinuous());
  const sent_by_blocks<cv::Mat> sent(x);
  EXPECT_EQ(sent.blocks.size(), blocks);
  EXPECT_TRUE(same(sent.received(), x));
}

TEST(OpenCv, MatricesOfAllTypes) {
  for (int depth = CV_8U; depth <= CV_16F; ++depth) {
    for (const int channels : {1, 3, 4, 500}) comes_back(filled(2, 1, CV_MAKETYPE(depth, channels)), 0);
  }
  comes_back(filled(60, 80, CV_8UC3), 1);
  comes_back(filled(7, 33, CV_64FC2), 0);
}

TEST(OpenCv, PartsOfALargerOne) {
  const auto picture = filled(40, 5000, CV_8UC3);
  const auto part = picture(cv::Rect(100, 10, 3000, 12));
  ASSERT_FALSE(part.isContinuous());
  comes_back(part, 12);                               // a row has 9000 bytes
  comes_back(picture(cv::Rect(100, 10, 30, 12)), 0);  // too short to be worth a message of its own
  comes_back(picture.rowRange(3, 5), 1);              // follow each other
  comes_back(picture.col(17), 0);
}

TEST(OpenCv, MoreThanTwoDimensions) {
  const std::array sizes{5, 6, 4000};
  cv::Mat cube(3, sizes.data(), CV_32F);
  cv::randu(cube, 0, 1);
  comes_back(cube, 1);
  const std::array part{cv::Range(1, 4), cv::Range(2, 4), cv::Range(0, 3000)};
  comes_back(cube(part.data()), 6);
}

TEST(OpenCv, EmptyOnes) {
  comes_back({}, 0);
  comes_back(cv::Mat(0, 7, CV_32FC2), 0);
  comes_back(cv::Mat(3, 0, CV_8U), 0);
}

// What is read into must not change what others see of the memory that it had.
TEST(OpenCv, MemoryThatIsSharedStaysAsItIs) {
  auto mine = filled(4, 4, CV_8U);
  const auto others = mine, before = mine.clone();
  std::vector<std::byte> bytes;
  tw::encode(cv::Mat(cv::Mat::zeros(4, 4, CV_8U)), bytes);
  tw::byte_reader from(bytes);
  tw::codec<cv::Mat>::read(from, mine);
  EXPECT_EQ(cv::countNonZero(mine), 0);
  EXPECT_TRUE(same(others, before));
}

std::string complaint(std::vector<std::byte> bytes) {
  try {
    (void)tw::decode<cv::Mat>(bytes);
  } catch (const tw::codec_error& e) {
    return e.what();
  }
  return "none";
}

// Bytes: 4 of the type, the number of dimensions, whether all is at once, 4 for each side.
TEST(OpenCv, WhatIsNoMatrix) {
  std::vector<std::byte> good;
  tw::encode(filled(3, 5, CV_8U), good);
  const auto with = [&](std::size_t at, int value) {
    auto bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return complaint(bytes);
  };
  EXPECT_EQ(complaint(good), "none");
  EXPECT_EQ(with(2, 1), "a cv::Mat has no type 65536");
  EXPECT_EQ(with(4, 1), "a cv::Mat cannot have 1 dimensions");
  EXPECT_EQ(with(4, 33), "a cv::Mat cannot have 33 dimensions");
  EXPECT_EQ(with(9, 255), "a cv::Mat cannot have a side of -16777213");
  EXPECT_EQ(with(8, 16), "a cv::Mat is cut off: it is larger than the bytes that have come");
  good.pop_back();
  EXPECT_EQ(complaint(good), "a cv::Mat is cut off: it is larger than the bytes that have come");
}

}  // namespace
