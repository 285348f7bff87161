// What one round gives to the next keeps the statements together.
#include <vector>

static double step(double value) {
  for (int i = 0; i < 100; ++i) value = value * 0.5 + 1;
  return value;
}

double run(int count) {
  double value = 1;
  for (int i = 0; i < count; ++i) {
    value = step(value);
    value = step(value + i);
  }
  return value;
}

void neighbours(std::vector<double>& all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    all[i] = step(all[i - 1]);
  }
}
