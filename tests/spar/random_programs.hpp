// What random programs are made of: types of items, what gives a value of each, what changes one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace made {

using number = std::uint64_t;

struct pair {
  int first = 0;
  std::string second;
};
/// Cannot be copied.
struct token {
  number value = 0;
  token() = default;
  token(token&&) = default;
  token& operator=(token&&) = default;
  token(const token&) = delete;
  token& operator=(const token&) = delete;
  ~token() = default;
};
using large = std::array<number, 512>;
enum class colour { red, green, blue };

inline number mixed(number a, number b) {
  return (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6U) + (a >> 2U))) * 31;
}

// --- set(x, n): x is made anew from a number ---
inline void set(number& x, number n) {
  x = n % 10'007;
}
inline void set(int& x, number n) {
  x = static_cast<int>(n % 1000);
}
inline void set(long& x, number n) {
  x = static_cast<long>(n % 100'000) - 50'000;
}
inline void set(double& x, number n) {
  x = static_cast<double>(n % 1024) / 8;
}
inline void set(bool& x, number n) {
  x = n % 3 == 0;
}
inline void set(colour& x, number n) {
  x = static_cast<colour>(n % 3);
}
inline void set(std::string& x, number n) {
  x = std::string(n % 40, 'a') + std::to_string(n % 977);
}
inline void set(std::vector<int>& x, number n) {
  x.assign(n % 9, static_cast<int>(n % 77));
}
inline void set(std::unique_ptr<int>& x, number n) {
  x = std::make_unique<int>(static_cast<int>(n % 500));
}
inline void set(pair& x, number n) {
  x = {static_cast<int>(n % 11), std::to_string(n % 13)};
}
inline void set(token& x, number n) {
  x.value = n % 4099;
}
inline void set(large& x, number n) {
  for (number i = 0; i < x.size(); i++) x[i] = n % (i + 1);
}
inline void set(int (&x)[4], number n) {
  for (int i = 0; i < 4; i++) x[i] = static_cast<int>(n % 100) + i;
}
inline void set(short (&x)[2][3], number n) {
  for (int i = 0; i < 6; i++) x[i / 3][i % 3] = static_cast<short>(n % 50 + static_cast<number>(i));
}
inline void set(std::string (&x)[2], number n) {
  x[0] = std::to_string(n % 19);
  x[1] = std::string(n % 5, '-');
}

// --- value(x): a number that tells one value from others ---
inline number value(number x) {
  return x + 1;
}
inline number value(int x) {
  return static_cast<number>(x) + 1;
}
inline number value(long x) {
  return static_cast<number>(x) + 2;
}
inline number value(double x) {
  return static_cast<number>(static_cast<std::int64_t>(x * 8)) + 3;
}
inline number value(bool x) {
  return x ? 5 : 4;
}
inline number value(colour x) {
  return static_cast<number>(x) + 6;
}
inline number value(const std::string& x) {
  number sum = x.size();
  for (const char letter : x) sum = mixed(sum, static_cast<unsigned char>(letter));
  return sum;
}
inline number value(const std::vector<int>& x) {
  number sum = x.size();
  for (const int one : x) sum = mixed(sum, value(one));
  return sum;
}
inline number value(const std::unique_ptr<int>& x) {
  return x == nullptr ? 7 : value(*x);
}
inline number value(const pair& x) {
  return mixed(value(x.first), value(x.second));
}
inline number value(const token& x) {
  return mixed(x.value, 8);
}
inline number value(const large& x) {
  number sum = 9;
  for (const number one : x) sum = mixed(sum, one);
  return sum;
}
inline number value(const int (&x)[4]) {
  return mixed(value(x[0]), value(x[3]));
}
inline number value(const short (&x)[2][3]) {
  return mixed(value(int{x[0][0]}), value(int{x[1][2]}));
}
inline number value(const std::string (&x)[2]) {
  return mixed(value(x[0]), value(x[1]));
}

/// Changes what is there.
template <class T> void change(T& x, number n) {
  set(x, mixed(value(x), n));
}

}  // namespace made
