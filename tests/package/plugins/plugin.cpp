// A plug-in: a library that is loaded at run time and hides its own names. NAME is its name.
#include "plugin.hpp"

#include <thalweg/run/back_end.hpp>

#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace tw = thalweg;

namespace {

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

// It goes when the plug-in does.
const tw::registered_policy mine{TEXT(NAME),
                                 [](int n) -> tw::any_policy { return tw::threads{.replicas = n}; }};

struct running_sum final : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<long> sums{this, "sums"};
  long sum = 0;
  void on_item(tw::in<int>&, int x) { sums.send(sum += x); }
};

class implementation final : public plugin {
  running_sum* stage_ = nullptr;

 public:
  tw::any_pipeline<int, int> doubles() override {
    return tw::farm([](int x) { return 2 * x; }, {.name = TEXT(NAME) "_doubles"});
  }
  std::unique_ptr<tw::stage> stage() override {
    auto made = std::make_unique<running_sum>();
    stage_ = made.get();
    return made;
  }
  tw::in<int>& input() override { return stage_->numbers; }
  tw::out<long>& output() override { return stage_->sums; }
  tw::execution launch(tw::any_policy policy, long& sum) override {
    return tw::launch(tw::source(std::views::iota(0, 1000)) | doubles() | tw::sink([&](int x) { sum += x; }),
                      std::move(policy));
  }
  void fails() override {
    tw::run(tw::source(std::vector{1}) |
            tw::map([](int x) { return x == 1 ? throw refused("not this one") : x; }, {.name = TEXT(NAME)}) |
            tw::sink([](int) {}));
  }
  void calls(const std::function<void()>& f) override {
    tw::run(tw::source(std::vector{1}) | tw::sink([&](int) { f(); }));
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) plugin* make() {
  return new implementation;
}
