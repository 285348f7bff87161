// Composite stages as parts of lines: serial, and made anew for each replica of a farm.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/failure.hpp"
#include "support/policies.hpp"

namespace tw = thalweg;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class OwnComposite : public under_every_policy {};
FOR_EVERY_POLICY(OwnComposite);

struct splitter : tw::stage {
  tw::in<int> numbers{this, "numbers"};
  tw::out<int> even{this, "even"}, odd{this, "odd"};
  tw::out<int> zeros{this, "zeros", tw::optional_port};
  void on_item(tw::in<int>&, int x) { (x == 0 ? zeros : x % 2 == 0 ? even : odd).send(x); }
};

// Reads two of its first input, then one of its second.
struct two_to_one : tw::stage {
  tw::in<int> two{this, "two"}, one{this, "one"};
  tw::out<int> out{this, "out"};
  int left = 2;
  void on_run() override {
    for (;;) {
      auto& port = left > 0 ? two : one;
      auto& other = left > 0 ? one : two;
      if (port.available()) {
        out.send(port.take());
        left = left > 0 ? left - 1 : 2;
      } else if (port.ended() && other.available()) {
        out.send(other.take());
      } else {
        return;
      }
    }
  }
  void on_end() override { out.send(-1); }
};

// Each number x becomes x, then as many of 10 x as it has halves: through branches, a farm and a loop.
struct shower : tw::composite_stage {
  tw::exported_in<int> in{this, "in"};
  tw::exported_out<long> out{this, "out"};
  struct halve : tw::stage {
    tw::in<int> fresh{this, "fresh"}, back{this, "back"};
    tw::out<int> again{this, "again"}, done{this, "done"};
    void on_item(tw::in<int>&, int x) {
      done.send(x);
      if (x % 2 == 0 && x > 0) again.send(x / 2);
    }
  };
  explicit shower(std::atomic<int>* made = nullptr) {
    if (made != nullptr) ++*made;
    auto& h = add<halve>();
    auto tens = add(tw::farm([](int x) { return 10 * x; }, {.replicas = 3}));
    auto back = add(tw::map([](int x) { return x; }));
    auto longs = add(tw::map([](double x) { return static_cast<long>(x); }));
    connect(h.again, back.in);
    connect(back.out, h.back);
    connect(h.done, tens.in);
    connect(tens.out, longs.in);  // int to double
    in.leads_to(h.fresh);
    out.comes_from(longs.out);
  }
};

std::vector<long> expected(int first, int last) {
  std::vector<long> all;
  for (int x = first; x < last; ++x) {
    for (int y = x;; y /= 2) {
      all.push_back(10L * y);
      if (y % 2 != 0 || y == 0) break;
    }
  }
  return all;
}

TEST_P(OwnComposite, IsPartOfALine) {
  std::vector<long> seen;
  const auto r = tw::run(
      tw::source(std::views::iota(1, 200)) | tw::own_stage(&shower::in, &shower::out) | tw::sink(seen),
      policy());
  EXPECT_EQ(seen, expected(1, 200));
  EXPECT_EQ(r.stage("own_stage-1").items_in(), 199U);
}

TEST_P(OwnComposite, IsMadeAnewForEachReplicaOfAFarm) {
  std::atomic<int> made = 0;
  std::vector<long> seen;
  auto shower_of = [&made] { return std::make_unique<shower>(&made); };
  tw::run(tw::source(std::views::iota(1, 3'000)) |
              tw::farm(tw::own_stage(&shower::in, &shower::out, shower_of), {.replicas = 3, .name = "f"}) |
              tw::sink(seen),
          policy());
  EXPECT_EQ(seen, expected(1, 3'000));
  EXPECT_LE(made, 3);
  EXPECT_GE(made, 1);
}

// One in another, with a stage that chooses, and end hooks that send.
struct outer : tw::composite_stage {
  tw::exported_in<int> in{this, "in"};
  tw::exported_out<int> out{this, "out"};
  struct inner : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    inner() {
      auto& s = add<splitter>();
      auto& m = add<two_to_one>();
      connect(s.even, m.two);
      connect(s.odd, m.one);
      in.leads_to(s.numbers);
      out.comes_from(m.out);
    }
  };
  outer() {
    auto& i = add<inner>();
    auto after = add(tw::map([](int x) { return x + 1; }) | tw::filter([](int x) { return x != 4; }));
    connect(i.out, after.in);
    in.leads_to(i.in);
    out.comes_from(after.out);
  }
};

TEST_P(OwnComposite, StagesThatChooseAndEndHooks) {
  std::vector<int> seen;
  tw::run(
      tw::source(std::vector{1, 3, 5, 0, 2, 4, 6}) | tw::own_stage(&outer::in, &outer::out) | tw::sink(seen),
      policy());
  // 2 4 1 6 | its end: 3 5 | -1
  EXPECT_THAT(seen, ElementsAre(3, 5, 2, 7, 6, 0));
}

TEST_P(OwnComposite, ErrorsNameTheChild) {
  struct bad : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    bad() {
      auto check =
          add(tw::map([](int x) { return x == 5 ? throw std::domain_error("five") : x; }, {.name = "check"}));
      in.leads_to(check.in);
      out.comes_from(check.out);
    }
  };
  std::vector<int> seen;
  const auto found = failure_of([&] {
    tw::run(tw::source(std::views::iota(0, 10)) | tw::own_stage(&bad::in, &bad::out, {.name = "bad"}) |
                tw::sink(seen),
            policy());
  });
  EXPECT_EQ(found.stage, "bad");
  EXPECT_THAT(found.cause, AllOf(HasSubstr("'check'"), HasSubstr("five")));
  // What cannot be done with one item does not keep the others from being worked on.
  seen.clear();
  tw::run(tw::source(std::views::iota(0, 10)) |
              tw::own_stage(&bad::in, &bad::out, tw::model::makes_stage<bad>{}, {.on_error = tw::skip}) |
              tw::sink(seen),
          policy());
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4, 6, 7, 8, 9));
}

template <class C> std::string refused() {
  try {
    tw::run(tw::source(std::vector{1}) | tw::own_stage(&C::in, &C::out) | tw::sink([](int) {}),
            tw::sequential{});
  } catch (const tw::error& e) {
    return e.what();
  }
  return "";
}

TEST(OwnCompositeMistakes, AreFoundWhenItIsMade) {
  struct timed : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    timed() {
      auto child = add<int>(tw::batch(3, std::chrono::seconds(1), {.name = "late"}) | tw::unbatch());
      in.leads_to(child.in);
      out.comes_from(child.out);
    }
  };
  EXPECT_THAT(refused<timed>(), AllOf(HasSubstr("timed"), HasSubstr("'late'"), HasSubstr("tw::graph")));
  struct careful : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    careful() {
      auto child = add(tw::map([](int x) { return x; }, {.on_error = tw::skip, .name = "skips"}));
      in.leads_to(child.in);
      out.comes_from(child.out);
    }
  };
  EXPECT_THAT(refused<careful>(), AllOf(HasSubstr("'skips'"), HasSubstr(".on_error")));
  struct ordered : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    ordered() {
      auto& s = add<tw::split<int>>();
      auto& m = add<tw::merge<int>>(tw::ordered);
      connect(s.branch(), m.input());
      in.leads_to(s.in);
      out.comes_from(m.out);
    }
  };
  EXPECT_THAT(refused<ordered>(), AllOf(HasSubstr("ordered"), HasSubstr("'merge-1'")));
  struct sourced : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    sourced() {
      auto& m = add<tw::merge<int>>();
      connect(add(tw::source(std::vector{1}, {.name = "well"})).out, m.input());
      in.leads_to(m.input());
      out.comes_from(m.out);
    }
  };
  EXPECT_THAT(refused<sourced>(), AllOf(HasSubstr("'well'"), HasSubstr("source")));
  struct more : tw::composite_stage {
    tw::exported_in<int> in{this, "in"}, other{this, "other"};
    tw::exported_out<int> out{this, "out"};
    more() {
      auto& m = add<tw::merge<int>>();
      in.leads_to(m.input());
      other.leads_to(m.input());
      out.comes_from(m.out);
    }
  };
  EXPECT_THAT(refused<more>(), AllOf(HasSubstr("more"), HasSubstr("'other'")));
  struct hollow : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
  };
  EXPECT_THAT(refused<hollow>(), AllOf(HasSubstr("'in'"), HasSubstr("leads_to")));
  struct open : tw::composite_stage {
    tw::exported_in<int> in{this, "in"};
    tw::exported_out<int> out{this, "out"};
    open() {
      auto& s = add<splitter>();
      in.leads_to(s.numbers);
      out.comes_from(s.even);
    }
  };
  EXPECT_THAT(refused<open>(), HasSubstr("'splitter-0.odd' is not connected"));
}

}  // namespace
