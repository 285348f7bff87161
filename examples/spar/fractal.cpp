// A picture of the Mandelbrot set, row by row. It is a loop: each C++ compiler makes a sequential program of
// it. thalweg-spar++ makes a stream of it, whose rows are computed on all cores and written in order.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>

// How often z*z + c stays near zero, up to 255 times.
unsigned char steps(std::complex<double> c) {
  unsigned char step = 0;
  for (std::complex<double> z = 0; std::norm(z) < 4 && step < 255; step++) z = z * z + c;
  return step;
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 100;
  long inside = 0;
  std::printf("P5 %d %d 255\n", size, size);
  [[spar::ToStream]] for (int y = 0; y < size; y++) {
    std::string row(static_cast<std::size_t>(size), ' ');
    [[spar::Stage, spar::Input(y, row), spar::Output(row), spar::Replicate]] for (int x = 0; x < size; x++) {
      row[static_cast<std::size_t>(x)] = static_cast<char>(steps({3.0 * x / size - 2, 3.0 * y / size - 1.5}));
    }
    [[spar::Stage, spar::Input(row), spar::Output(inside)]] {
      std::fwrite(row.data(), 1, row.size(), stdout);
      inside += std::count(row.begin(), row.end(), '\xff');
    }
  }
  std::fprintf(stderr, "%ld of %d points are inside\n", inside, size * size);
}
