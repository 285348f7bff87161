// Uses Thalweg itself, two libraries that have it inside, and one that comes and goes.
#include <thalweg/thalweg.hpp>

#include <iostream>
#include <string>

#include <dlfcn.h>

namespace tw = thalweg;

extern "C" {
long sum_a(int);
long sum_b(int);
const char* message_a();
const char* message_b();
void fail_a();
}

namespace {

int wrong = 0;

template <class A, class B> void expect_equal(const char* what, const A& is, const B& should) {
  if (is == should) return;
  std::cerr << what << " is " << is << ", and should be " << should << std::endl;
  ++wrong;
}

}  // namespace

int main(int, char** arguments) {
  std::vector<int> seen;
  tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm([](int x) { return x; }) | tw::sink(seen));
  expect_equal("the number of items here", seen.size(), 3U);
  expect_equal("the sum of library a", sum_a(1000), 999003L);
  expect_equal("the sum of library b", sum_b(1000), 999003L);

  const std::string a = message_a(), b = message_b();
  expect_equal("'this job' in the message of library a", a.find("this job") != std::string::npos, true);
  expect_equal("'THIS JOB' in the message of library b, of another version",
               b.find("THIS JOB") != std::string::npos, true);

  try {
    fail_a();
  } catch (const tw::stage_error& e) {
    expect_equal("the stage of an error that has crossed libraries", e.stage(), "fails");
    seen.clear();
  }
  expect_equal("the number of errors that did not come", seen.size(), 0U);

  for (int i = 0; i < 20; ++i) {
    void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::cerr << dlerror() << std::endl;
      return 1;
    }
    const auto sum = reinterpret_cast<long (*)(int)>(dlsym(library, "sum_late"));
    expect_equal("the sum of the library that was loaded", sum(10'000), 99'990'003L);
    dlclose(library);
  }
  return wrong == 0 ? 0 : 1;
}
