// The shapes of programs that SPar's papers show: prime numbers, a fractal row by row, a product of matrices,
// a chain of filters over lines of text.
#include <cctype>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

int primes(int limit, int workers) {
  int total = 0;
  [[spar::ToStream, spar::Input(limit, workers), spar::Output(total)]] for (int i = 2; i <= limit; i++) {
    int prime = 1;
    [[spar::Stage, spar::Input(i, prime), spar::Output(prime), spar::Replicate(workers)]] for (int j = 2;
                                                                                               j < i; j++) {
      if (i % j == 0) {
        prime = 0;
        break;
      }
    }
    [[spar::Stage, spar::Input(prime), spar::Output(total)]] { total = total + prime; }
  }
  return total;
}

void fractal(int size) {
  const double step = 3.0 / size;
  [[spar::ToStream, spar::Input(size, step)]] for (int row = 0; row < size; row++) {
    const double imaginary = -1.5 + step * row;
    std::string line(static_cast<std::size_t>(size), ' ');
    [[spar::Stage, spar::Input(size, imaginary, line), spar::Output(line),
      spar::Replicate()]] for (int column = 0; column < size; column++) {
      const double real = -2.0 + step * column;
      double a = real;
      double b = imaginary;
      int round = 0;
      for (; round < 30; round++) {
        const double a2 = a * a;
        const double b2 = b * b;
        if (a2 + b2 > 4.0) break;
        b = 2 * a * b + imaginary;
        a = a2 - b2 + real;
      }
      line[static_cast<std::size_t>(column)] = " .:-=+*#%@"[round / 4];
    }
    [[spar::Stage, spar::Input(line)]] { std::puts(line.c_str()); }
  }
}

void product() {
  constexpr int size = 16;
  static long left[size][size], right[size][size], result[size][size];
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      left[i][j] = i + j;
      right[i][j] = i - j;
    }
  }
  [[spar::ToStream, spar::Input(left, right, result), spar::Output(result)]] for (int i = 0; i < size; i++) {
    [[spar::Stage, spar::Input(i, left, right), spar::Output(result[i]),
      spar::Replicate(4)]] for (int j = 0; j < size; j++) {
      for (int k = 0; k < size; k++) {
        result[i][j] += left[i][k] * right[k][j];
      }
    }
    [[spar::Stage, spar::Input(i, result[i])]] {
      std::printf("%ld ", result[i][i]);
    }
  }
  std::puts("");
}

void lines() {
  std::istringstream in("first line\nSecond Line\n\n the third, with  spaces\nlast");
  std::ostringstream out;
  int number = 0;
  [[spar::ToStream, spar::Input(in)]] while (true) {
    std::string line;
    std::getline(in, line);
    if (!in) break;
    [[spar::Stage, spar::Input(line), spar::Output(line), spar::Replicate(2)]] {
      for (char& letter : line) {
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      }
    }
    [[spar::Stage, spar::Input(line), spar::Output(line), spar::Replicate(2)]] {
      std::string words;
      for (const char letter : line) {
        if (letter != ' ' || (!words.empty() && words.back() != ' ')) {
          words += letter;
        }
      }
      line = words;
    }
    [[spar::Stage, spar::Input(line), spar::Output(number)]] { out << ++number << ' ' << line << '\n'; }
  }
  std::printf("%s%d lines\n", out.str().c_str(), number);
}

int main() {
  std::printf("%d primes\n", primes(2000, 3));
  fractal(40);
  product();
  lines();
  return 0;
}
