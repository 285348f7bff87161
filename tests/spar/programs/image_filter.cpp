// The loop of SPar's papers: read, filter on several threads, write. Over MPI, too.
// mpi
#include <cstdio>
#include <vector>

using picture = std::vector<unsigned char>;

picture read(int number) {
  if (number == 200) {
    return {};
  }
  picture read(64);
  for (unsigned at = 0; at < read.size(); at++) {
    read[at] = static_cast<unsigned char>((static_cast<unsigned>(number) * 31 + at * 7) % 251);
  }
  return read;
}

picture filter(const picture& original) {
  picture filtered(original.size());
  for (std::size_t at = 0; at < original.size(); at++) {
    const unsigned left = original[at == 0 ? 0 : at - 1];
    filtered[at] = static_cast<unsigned char>((left + original[at]) / 2);
  }
  return filtered;
}

void write(const picture& written) {
  unsigned sum = 0;
  for (const unsigned char value : written) {
    sum = sum * 33 + value;
  }
  std::printf("%u\n", sum);
}

int main() {
  const int workers = 3;
  [[spar::ToStream]] for (int i = 0;; i++) {
    picture img = read(i);
    if (img.empty()) break;
    [[spar::Stage, spar::Input(img), spar::Output(img), spar::Replicate(workers)]] { img = filter(img); }
    [[spar::Stage, spar::Input(img)]] { write(img); }
  }
  return 0;
}
