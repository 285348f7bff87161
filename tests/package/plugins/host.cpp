// Loads plug-ins again and again, and shares lines, stages, runs and errors with them.
// usage: host plugin.so...
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "plugin.hpp"

namespace tw = thalweg;

namespace {

int wrong = 0;

template <class A, class B> void expect_equal(const char* what, const A& is, const B& should) {
  if (is == should) return;
  std::cerr << what << " is " << is << ", and should be " << should << std::endl;
  ++wrong;
}

struct library {
  explicit library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) throw std::runtime_error(dlerror());
    made.reset(reinterpret_cast<make_plugin*>(dlsym(handle, "make"))());
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  ~library() {
    made.reset();
    dlclose(handle);
  }
  void* handle;
  std::unique_ptr<plugin> made;
};

std::string what_fails(plugin& p) {
  try {
    p.fails();
  } catch (const tw::stage_error& e) {
    try {
      e.rethrow_nested();
    } catch (const refused& inner) {
      return e.stage() + ": " + inner.what();
    } catch (...) {
      return "another error";
    }
  }
  return "nothing";
}

// The run would wait for itself, were it not found out whose operator it is that calls.
std::string what_waits(plugin& p) {
  std::string said = "nothing";
  std::optional<tw::execution> e;
  std::atomic<bool> there = false;
  e.emplace(tw::launch(tw::source(std::vector{1}) | tw::sink([&](int) {
                         there.wait(false);
                         p.calls([&] {
                           try {
                             (void)e->wait();
                           } catch (const tw::error& found) {
                             said = found.what();
                           }
                         });
                       })));
  there = true;
  there.notify_all();
  e->wait();
  return said;
}

void share(plugin& one, plugin& other) {
  std::vector<int> seen;
  tw::run(tw::source(std::views::iota(0, 100)) | one.doubles() | other.doubles() | tw::sink(seen));
  expect_equal("the number of items", seen.size(), 100U);
  expect_equal("the last item", seen.back(), 396);

  std::vector<long> sums;
  tw::graph g;
  g.add(one.stage());
  g.add(other.stage());
  auto between = g.add(tw::map([](long x) { return static_cast<int>(x); }));
  g.connect(g.add(tw::source(std::views::iota(0, 100))).out, one.input());
  g.connect(one.output(), between.in);
  g.connect(between.out, other.input());
  g.connect(other.output(), g.add(tw::sink(sums)).in);
  tw::run(g, tw::policy_from("a:2"));
  expect_equal("the number of sums", sums.size(), 100U);
  expect_equal("the last sum of sums", sums.back(), 166'650L);

  long sum = 0;
  const auto r = one.launch(tw::policy_from("b"), sum).wait();
  expect_equal("the sum of a run that a plug-in has begun", sum, 999'000L);
  expect_equal("the stage of a plug-in in a report", r.stage("a_doubles").items_in(), 1000U);
}

bool is_loaded(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

}  // namespace

int main(int, char** arguments) {
  const char *const path_a = arguments[1], *const path_b = arguments[2];
  for (int i = 0; i < 20; ++i) {
    {
      const library a(path_a), b(path_b);
      share(*a.made, *b.made);
      expect_equal("what plug-in a throws", what_fails(*a.made), "a: not this one");
      expect_equal("what plug-in b throws", what_fails(*b.made), "b: not this one");
      expect_equal("whether it is told of a run that waits for itself",
                   what_waits(*a.made).starts_with("wait: an operator or the .at_end of the same run"), true);
    }
    expect_equal("whether a plug-in stays in memory", is_loaded(path_a) || is_loaded(path_b), false);
    bool known = true;
    try {
      (void)tw::policy_from("a");
    } catch (const tw::error&) {
      known = false;
    }
    expect_equal("whether the policy of a plug-in that is gone is known", known, false);
  }
  return wrong == 0 ? 0 : 1;
}
