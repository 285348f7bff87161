#include <algorithm>

#include <opencv2/imgproc.hpp>

#include "apps/person_recognition/person_recognition.hpp"

namespace apps::person_recognition {

frame detect::operator()(frame item) {
  constexpr double fine = 1.05;
  constexpr int least = 40;
  cv::cvtColor(item.picture, item.grey, cv::COLOR_BGR2GRAY);
  item.faces.clear();
  for (const auto& where : find_(item.grey, fine, least)) item.faces.push_back({.where = where});
  return item;
}

frame recognize::operator()(frame item) const {
  const cv::Scalar vivid{0, 255, 0};
  for (auto& face : item.faces) {
    face = known_->recognize(item.grey, face.where);
    if (!face.wanted) continue;
    const auto& where = face.where;
    cv::circle(item.picture, (where.tl() + where.br()) / 2, where.width * 6 / 10, vivid,
               std::max(2, item.picture.rows / 120));
  }
  item.grey.release();
  return item;
}

}  // namespace apps::person_recognition
