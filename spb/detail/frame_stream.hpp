/// Streams of frames. OpenCV's headers are heavy, and benchmark programs have no use for them. So an item
/// holds pointers to frames, whose type only the application's own file knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <opencv2/core/utility.hpp>

#include "spb/detail/plain_stream.hpp"

namespace spb::detail {

/// An application's source, which gives pointers.
template <class Source> struct pointer_source {
  using frame = typename decltype(std::declval<Source&>()())::value_type;
  Source next;

  std::optional<std::shared_ptr<frame>> operator()() {
    auto one = next();
    if (!one) return std::nullopt;
    return std::make_shared<frame>(std::move(*one));
  }
  bool ready_by(std::int64_t until_ns)
    requires requires { next.ready_by(until_ns); }
  {
    return next.ready_by(until_ns);
  }
  [[nodiscard]] std::int64_t due_ns() const
    requires requires { next.due_ns(); }
  {
    return next.due_ns();
  }
};

/// Its sink, which takes them.
template <class Sink> struct pointer_sink {
  Sink write;

  template <class Frame> void operator()(const std::shared_ptr<Frame>& done) { write(*done); }
  void close() { write.close(); }
};

/// The stream of an application whose operators work on frames. The sink wants them in order.
template <class Item, class Source, class Sink>
class frame_stream : public plain_stream<Item, pointer_source<Source>, pointer_sink<Sink>> {
 public:
  /// Turns OpenCV's own threads off, too: they would come on top of the program's.
  void open(Source source, Sink sink) {
    cv::setNumThreads(1);
    plain_stream<Item, pointer_source<Source>, pointer_sink<Sink>>::open({std::move(source)},
                                                                         {std::move(sink)});
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
