/// Streams of frames. OpenCV's headers are heavy, and benchmark programs have no use for them.
#pragma once

#include <utility>

#include <opencv2/core/utility.hpp>

#include "spb/detail/pointer_stream.hpp"

namespace spb::detail {

/// The stream of an application whose operators work on frames. The sink wants them in order.
template <class Item, class Source, class Sink>
class frame_stream : public pointer_stream<Item, Source, Sink> {
 public:
  /// Turns OpenCV's own threads off, too: they would come on top of the program's.
  void open(Source source, Sink sink) {
    cv::setNumThreads(1);
    pointer_stream<Item, Source, Sink>::open(std::move(source), std::move(sink));
  }
};

}  // namespace spb::detail
