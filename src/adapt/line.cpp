#include "line.hpp"

namespace THALWEG_NAMESPACE::adaptation {

line line_through(const std::vector<point>& points) {
  const auto n = static_cast<double>(points.size());
  line through;
  for (const auto& p : points) {
    through.x += p.x / n;
    through.y += p.y / n;
  }
  double spread = 0;
  double slope = 0;
  for (const auto& p : points) {
    spread += (p.x - through.x) * (p.x - through.x);
    slope += (p.x - through.x) * (p.y - through.y);
  }
  through.slope = spread > 0 ? slope / spread : 0;
  return through;
}

}  // namespace THALWEG_NAMESPACE::adaptation
