// Several processes, also on several machines: the same job, the same result, one argument more.
//
//   mpirun -n 4 ./across 300000                          on this machine
//   mpirun -n 32 --hostfile hosts ./across 300000        on those that the file names
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <ranges>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tw = thalweg;

namespace {

bool is_prime(long n) {
  for (long d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

long number_in(const std::string& text) {
  long n = 0;
  const auto* const end = text.data() + text.size();
  if (const auto got = std::from_chars(text.data(), end, n); got.ec != std::errc{} || got.ptr != end || n < 1)
    throw std::invalid_argument("'" + text + "' is not a number of numbers");
  return n;
}

auto counting(long upto, long& primes) {
  return tw::source(std::views::iota(1L, upto), {.name = "numbers"}) |
         tw::farm([](const long& n) { return is_prime(n) ? 1 : 0; }, {.name = "test"}) |
         tw::sink([&](int one) { primes += one; }, {.name = "count"});
}

}  // namespace

int main(int argc, char** argv) {
  const tw::mpi policy{argc, argv};  // before anything that may fail: all processes have to come to MPI
  try {
    const long upto = argc > 1 ? number_in(argv[1]) : 20'000;
    long primes = 0;
    const tw::report r = tw::run(counting(upto, primes), policy);
    // The sink is on rank 0, and what it has captured is there alone; so is the report of all ranks.
    if (!r.is_root()) return EXIT_SUCCESS;
    std::cout << r << "\n\n" << primes << " primes below " << upto << '\n';
    long same = 0;
    tw::run(counting(upto, same), tw::sequential{});
    return primes == same ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& e) {
    // An error on one rank ends the run on all, and comes out of it everywhere: one is enough to tell.
    if (policy.rank() == 0) std::cerr << "across: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
