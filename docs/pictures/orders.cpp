// The stream of two pictures of docs/observing.md: orders, counted by the cities that they go to, half of
// them to one city. It says where its page is, and runs until its standard input ends.
#include <thalweg/live/server.hpp>
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  const auto order = [random = std::mt19937(1), number = 0]() mutable -> std::optional<std::string> {
    constexpr std::array cities{"Rome", "Paris", "Oslo", "Pisa", "Bern", "Riga", "Graz", "Brno"};
    constexpr std::array things{"lamps", "books", "chairs", "plates"};
    std::geometric_distribution<std::size_t> half;
    std::this_thread::sleep_for(300us);
    const auto many = std::to_string(2 + random() % 8) + " " + things[random() % things.size()];
    return "order " + std::to_string(++number) + ": " + many + " to " +
           cities[std::min(half(random), cities.size() - 1)];
  };
  const auto city = [](const std::string& x) { return x.substr(x.rfind(' ')); };
  const auto count = [](long n, const std::string&) {
    std::this_thread::sleep_for(1ms);
    return n + 1;
  };
  auto job = tw::source(order, {.name = "orders", .blocking = true}) | tw::key_by(city, {.name = "by city"}) |
             tw::farm(tw::reduce(0L, count, {.name = "count"}), {.replicas = 4}) |
             tw::sink([](const auto&) {}, {.name = "write"});
  tw::live::server page(tw::launch(job, tw::threads{}), {.token = "sesame", .announce = false});
  std::cout << page.url() << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  page.execution().cancel();
}
