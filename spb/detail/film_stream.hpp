/// Streams of films. OpenCV's headers are heavy, and benchmark programs have no use for them. So an item
/// holds pointers to frames, whose type only the application's own file knows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <opencv2/core/utility.hpp>

#include "apps/support/film/stages.hpp"
#include "spb/detail/operation.hpp"
#include "spb/detail/options.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb::detail {

/// An application's source, which gives pointers.
template <class Frame> struct pointer_source {
  apps::film_source<Frame> next;

  std::optional<std::shared_ptr<Frame>> operator()() {
    auto frame = next();
    if (!frame) return std::nullopt;
    return std::make_shared<Frame>(std::move(*frame));
  }
};

/// Its sink, which takes them.
template <class Frame> struct pointer_sink {
  apps::film_sink<Frame> write;

  void operator()(const std::shared_ptr<Frame>& done) { write(*done); }
  void close() { write.close(); }
};

/// The stream of an application that reads a film and writes one. The sink wants frames in order.
template <class Item, class Frame>
class film_stream : public plain_stream<Item, pointer_source<Frame>, pointer_sink<Frame>> {
 public:
  /// Turns OpenCV's own threads off, too: they would come on top of the program's.
  void open(const options& asked, const std::filesystem::path& film, const std::filesystem::path& output) {
    cv::setNumThreads(1);
    using apps::input_held;
    apps::film_source<Frame> from(film, asked.in_memory ? input_held::in_memory : input_held::on_disk);
    apps::film_sink<Frame> to(output, from);
    plain_stream<Item, pointer_source<Frame>, pointer_sink<Frame>>::open({std::move(from)}, {std::move(to)});
  }
};

/// Applies an operator to each frame of an item.
template <class Item, class F> void work_on_frames(std::size_t operation, Item& item, F&& f) {
  work_on_each(operation, item, [&](auto frame) {
    *frame = f(std::move(*frame));
    return frame;
  });
}

}  // namespace spb::detail
