#include "apps/lane_detection/operators.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "apps/lane_detection/geometry.hpp"

namespace apps::lane_detection {
namespace {

constexpr double degree = CV_PI / 180;
// At the end of a line of 400 pixels this is less than 2 of them.
constexpr double fine = degree / 4;

/// Draws lines of the picture that may be marks into a picture of the region.
class pencil {
 public:
  explicit pencil(const cv::Mat& picture)
      : where_{picture.size()},
        region_(where_.region()),
        drawn_(cv::Mat::zeros(region_.size(), CV_8UC1)),
        width_(where_.scaled(3)) {}

  /// `a` and `b`: in the region.
  bool draw(cv::Point a, cv::Point b) {
    if (!where_.may_be_mark(a + region_.tl(), b + region_.tl())) return false;
    cv::line(drawn_, a, b, 255, width_);
    return true;
  }
  cv::Mat finish() { return std::move(drawn_); }
  [[nodiscard]] const geometry& where() const { return where_; }

 private:
  geometry where_;
  cv::Rect region_;
  cv::Mat drawn_;
  int width_;
};

/// Finds what most of the length of some segments agrees on.
class ballot {
 public:
  explicit ballot(const geometry& where) : where_(where) {}

  void add(cv::Point a, cv::Point b) {
    const auto far = where_.region().y;
    votes_.push_back({.near = geometry::x_at(a, b, where_.picture.height),
                      .far = geometry::x_at(a, b, far),
                      .length = std::hypot(a.x - b.x, a.y - b.y)});
  }
  [[nodiscard]] std::optional<mark> winner() const {
    // Each segment stands for election; its voters are those that leave the picture near it.
    const double near_by = where_.scaled(24);
    double best = 0;
    vote sum;
    for (const auto& candidate : votes_) {
      vote all{0, 0, 0};
      for (const auto& other : votes_) {
        if (std::abs(other.near - candidate.near) > near_by) continue;
        all.near += other.near * other.length;
        all.far += other.far * other.length;
        all.length += other.length;
      }
      if (all.length <= best) continue;
      best = all.length;
      sum = all;
    }
    if (best < where_.scaled(40)) return std::nullopt;
    const int bottom = where_.picture.height - 1;
    return mark{{cvRound(sum.near / best), bottom}, {cvRound(sum.far / best), where_.region().y}};
  }

 private:
  struct vote {
    double near = 0, far = 0, length = 0;
  };
  geometry where_;
  std::vector<vote> votes_;
};

}  // namespace

frame segment::operator()(frame item) const {
  const auto region = item.picture(geometry{item.picture.size()}.region());
  cv::cvtColor(region, item.region, cv::COLOR_BGR2GRAY);
  cv::GaussianBlur(item.region, item.region, {5, 5}, 0);
  return item;
}

frame canny1::operator()(frame item) const {
  cv::Canny(item.region, item.edges, 40, 110);
  item.region.release();
  return item;
}

frame hough_t::operator()(frame item) const {
  pencil drawing(item.picture);
  std::vector<cv::Vec2f> found;
  cv::HoughLines(item.edges, found, 1, fine, drawing.where().scaled(45));
  constexpr int most = 60;
  int drawn = 0;
  for (const auto& line : found) {  // the clearest come first
    const double cosine = std::cos(line[1]), sine = std::sin(line[1]);
    const cv::Point2d middle(line[0] * cosine, line[0] * sine);
    const double reach = item.picture.cols + item.picture.rows;
    const cv::Point a(cvRound(middle.x - reach * sine), cvRound(middle.y + reach * cosine));
    const cv::Point b(cvRound(middle.x + reach * sine), cvRound(middle.y - reach * cosine));
    if (drawing.draw(a, b) && ++drawn == most) break;
  }
  item.lines = drawing.finish();
  return item;
}

frame hough_p::operator()(frame item) const {
  pencil drawing(item.picture);
  const auto& where = drawing.where();
  std::vector<cv::Vec4i> found;
  cv::HoughLinesP(item.edges, found, 1, degree, where.scaled(25), where.scaled(18), where.scaled(6));
  item.edges.release();
  for (const auto& line : found) drawing.draw({line[0], line[1]}, {line[2], line[3]});
  item.segments = drawing.finish();
  return item;
}

frame bitwise::operator()(frame item) const {
  cv::bitwise_and(item.lines, item.segments, item.agreed);
  item.lines.release();
  item.segments.release();
  return item;
}

frame canny2::operator()(frame item) const {
  cv::Canny(item.agreed, item.outlines, 100, 300);
  item.agreed.release();
  return item;
}

frame overlap::operator()(frame item) const {
  const geometry where{item.picture.size()};
  std::vector<cv::Vec4i> found;
  cv::HoughLinesP(item.outlines, found, 1, degree, where.scaled(15), where.scaled(12), where.scaled(30));
  item.outlines.release();
  const auto corner = where.region().tl();
  ballot left(where), right(where);
  for (const auto& line : found) {
    const cv::Point a = cv::Point(line[0], line[1]) + corner, b = cv::Point(line[2], line[3]) + corner;
    if (!where.may_be_mark(a, b)) continue;
    const bool on_left = geometry::x_at(a, b, where.picture.height) < where.picture.width / 2.0;
    (on_left ? left : right).add(a, b);
  }
  item.left = left.winner();
  item.right = right.winner();
  for (const auto& one : {item.left, item.right})
    if (one) cv::line(item.picture, one->near, one->far, mark_colour, where.scaled(5));
  return item;
}

}  // namespace apps::lane_detection
