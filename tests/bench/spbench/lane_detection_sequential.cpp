// A name of OpenCV, of which nothing is included; two names that are used without `spb::`.
#include <lane_detection.hpp>

using namespace spb;
using namespace cv;

int main(int argc, char* argv[]) {
  setNumThreads(0);
  init_bench(argc, argv);
  Metrics::init();
  while (1) {
    Item item;
    if (!Source::op(item)) break;
    Segment::op(item);
    Canny1::op(item);
    HoughT::op(item);
    HoughP::op(item);
    Bitwise::op(item);
    Canny2::op(item);
    Overlap::op(item);
    Sink::op(item);
  }
  Metrics::stop();
  end_bench();
  return 0;
}
