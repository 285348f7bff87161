#include "spb/lane_detection.hpp"

#include <string>
#include <vector>

#include "apps/lane_detection/inputs.hpp"
#include "apps/lane_detection/lane_detection.hpp"
#include "apps/lane_detection/operator_names.hpp"
#include "spb/detail/film_stream.hpp"

template <>
struct thalweg::codec<apps::lane_detection::frame>
    : spb::detail::codec_of_film_frame<apps::lane_detection::frame> {};

namespace spb {
namespace {

namespace lane = apps::lane_detection;

using enum lane::operation;

detail::film_stream<Item, lane::frame> current;

apps::film_source<lane::frame> source_of(const detail::options& asked, const detail::places& where) {
  return detail::film_source_of<lane::frame>(asked, detail::file_of(where, lane::film_file));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  current.open(asked, where, detail::file_of(where, lane::film_file));
  return lane::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &lane::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Segment::op(Item& item) {
  detail::work_behind_pointers(segment_op, item, lane::segment{});
}
void Canny1::op(Item& item) {
  detail::work_behind_pointers(canny1_op, item, lane::canny1{});
}
void HoughT::op(Item& item) {
  detail::work_behind_pointers(hough_t_op, item, lane::hough_t{});
}
void HoughP::op(Item& item) {
  detail::work_behind_pointers(hough_p_op, item, lane::hough_p{});
}
void Bitwise::op(Item& item) {
  detail::work_behind_pointers(bitwise_op, item, lane::bitwise{});
}
void Canny2::op(Item& item) {
  detail::work_behind_pointers(canny2_op, item, lane::canny2{});
}
void Overlap::op(Item& item) {
  detail::work_behind_pointers(overlap_op, item, lane::overlap{});
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
