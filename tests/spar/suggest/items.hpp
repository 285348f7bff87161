// What the loops of this folder call. The bodies of these are elsewhere.
#pragma once

#include <string>
#include <vector>

struct image {
  int number = 0;
  std::vector<int> pixels;
};

bool load(int number, image& to);
image outside(const image& of);
void keep(const image& of);

// The bodies of these are seen.
inline int brightness(const image& of) {
  int sum = 0;
  for (const int each : of.pixels) sum += each;
  return sum;
}
