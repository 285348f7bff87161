// Each round has an element of its own.
#include <vector>

static double slow(double value) {
  for (int i = 0; i < 100; ++i) value = value * 0.5 + 1;
  return value;
}

void run(const std::vector<double>& in, std::vector<double>& out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = slow(in[i]);
  }
}

void in_place(std::vector<double>& all) {
  for (double& each : all) {
    each = slow(each);
  }
}
