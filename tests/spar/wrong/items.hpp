// What the programs of this folder work on. Bodies are elsewhere: only types matter.
#pragma once

struct image {
  int width = 0;
  int pixels[4] = {};
};

image read(int number);
bool good(const image& of);
image filter(const image& of);
int count(const image& of);
void sharpen(image& of);
void write(const image& of);
void show(int number);

// Whether its functions are safe to call at the same time is not seen.
class table {
 public:
  int find(int key) const;
  int add(int key);
};
