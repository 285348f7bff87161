#pragma once

#include <filesystem>
#include <utility>

#include "apps/support/film/stages.hpp"
#include "spb/detail/frame_stream.hpp"
#include "spb/detail/options.hpp"

namespace spb::detail {

/// The stream of an application that reads a film and writes one.
template <class Item, class Frame>
class film_stream : public frame_stream<Item, apps::film_source<Frame>, apps::film_sink<Frame>> {
 public:
  void open(const options& asked, const std::filesystem::path& film, const std::filesystem::path& output) {
    using apps::input_held;
    apps::film_source<Frame> from(film, asked.in_memory ? input_held::in_memory : input_held::on_disk);
    apps::film_sink<Frame> to(output, from);
    frame_stream<Item, apps::film_source<Frame>, apps::film_sink<Frame>>::open(std::move(from),
                                                                               std::move(to));
  }
};

}  // namespace spb::detail
