#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/model/opencv.hpp>

#include <filesystem>
#include <string>

#include <video_filter.hpp>

#include "apps/video_filter/frame.hpp"
#include "bench/support/item_codec.hpp"

/// As text.
template <> struct thalweg::codec<std::filesystem::path> {
  static std::string tag() { return codec<std::string>::tag(); }
  static void write(byte_writer& to, const std::filesystem::path& x) { to(x.string()); }
  static void read(byte_reader& from, std::filesystem::path& x) {
    std::string text;
    from(text);
    x = text;
  }
};

/// The name of the file, or what is in it, until the picture is there, then the picture until it is packed.
template <>
struct thalweg::codec<spb::Item>
    : item_codec<spb::Item, &apps::video_filter::frame::number, &apps::video_filter::frame::file,
                 &apps::video_filter::frame::size, &apps::video_filter::frame::content,
                 &apps::video_filter::frame::picture, &apps::video_filter::frame::packed> {};
