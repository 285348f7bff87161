// How random jobs are built of typed pieces, and that what is built is what was described.
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/random_jobs/build.hpp"
#include "support/random_jobs/description.hpp"
#include "support/random_jobs/generate.hpp"
#include "support/random_jobs/operators.hpp"

namespace random_jobs {

namespace {

// Makes a thalweg job of a description.
class builder {
 public:
  using line = tw::any_pipeline<long, long>;
  using whole = tw::any_pipeline<void, void>;

  explicit builder(std::shared_ptr<witness> run) : run_(std::move(run)), job_(run_->described) {}

  [[nodiscard]] whole build() const { return job_.typed >= 0 ? typed_job() : joined_job(); }

 private:
  // --- options ---

  [[nodiscard]] tw::error_policy errors_of(const op& o, std::size_t number) const {
    tw::error_policy last = tw::stop;
    if (o.then == verdict::skip) last = tw::skip;
    if (o.then == verdict::dead_letter) {
      last = tw::dead_letter([w = run_, number](const long& x, std::exception_ptr) {
        if (w->burying.exchange(true)) w->complain("two dead-letter handlers at once");
        w->counted[number].buried.push_back(x);
        w->burying = false;
      });
    }
    return o.retries > 0 ? tw::retry(o.retries, std::chrono::nanoseconds(o.seed % 2 * 1'000)).then(last)
                         : last;
  }

  [[nodiscard]] tw::options options_of(const op& o, std::size_t number, const std::string& name) const {
    tw::options made{.name = name};
    if (o.capacity > 0) made.capacity = o.capacity;
    made.on_error = errors_of(o, number);
    made.blocking = o.own_thread == 1;
    if (o.own_thread == 2) made.on = tw::caller_thread;
    return made;
  }

  [[nodiscard]] static tw::options options_of(const replication& r, const std::string& name = {}) {
    tw::options made{.unordered = r.unordered, .name = name};
    if (r.replicas > 0) made.replicas = r.replicas;
    if (r.capacity > 0) made.capacity = r.capacity;
    if (r.forgiving) made.on_error = tw::skip;
    if (r.schedule == 1) made.schedule = tw::round_robin;
    if (r.schedule == 2) {
      made.schedule = tw::route([](const long& x, std::size_t) { return static_cast<std::size_t>(x); });
    }
    made.blocking = r.blocking;
    return made;
  }

  // --- pieces ---

  // The stages of a piece, by their place in it.
  struct part {
    const builder& b;
    const piece& p;
    int index;
    std::size_t first;

    [[nodiscard]] probe at(std::size_t n) const { return {b.run_, first + n}; }
    [[nodiscard]] tw::options of(std::size_t n) const {
      return b.options_of(p.ops[n], first + n, name_of(index, n));
    }
    template <class Op> [[nodiscard]] Op make(std::size_t n) const { return Op{{at(n)}}; }

    [[nodiscard]] auto map(std::size_t n) const { return tw::map(make<mapper>(n), of(n)); }
    [[nodiscard]] auto filter(std::size_t n) const { return tw::filter(make<keeper>(n), of(n)); }
    [[nodiscard]] auto expand(std::size_t n) const { return tw::flat_map(make<expander>(n), of(n)); }
    [[nodiscard]] auto running(std::size_t n) const { return tw::map(make<runner>(n), of(n)); }
    [[nodiscard]] auto count(std::size_t n) const { return tw::map(make<counter>(n), of(n)); }
    [[nodiscard]] auto gather(std::size_t n) const { return tw::flat_map(make<adder>(n), of(n)); }
    template <class Op> [[nodiscard]] auto factory(std::size_t n) const {
      return tw::per_replica([me = at(n)] {
        me.make();
        return Op{{me}};
      });
    }
    [[nodiscard]] auto own_map(std::size_t n) const { return tw::map(factory<own_mapper>(n), of(n)); }
    [[nodiscard]] auto own_expand(std::size_t n) const {
      return tw::flat_map(factory<own_expander>(n), of(n));
    }
    [[nodiscard]] auto partial(std::size_t n) const { return tw::flat_map(factory<adder>(n), of(n)); }

    [[nodiscard]] tw::options outer() const { return options_of(p.first); }
    [[nodiscard]] tw::options scope() const { return options_of(p.first, "farm" + std::to_string(index)); }
    [[nodiscard]] tw::options inner() const { return options_of(p.second); }
  };

  [[nodiscard]] part part_of(std::size_t piece) const {
    std::size_t first = 1;
    for (std::size_t i = 0; i < piece; ++i) first += job_.pieces[i].ops.size();
    return {*this, job_.pieces[piece], static_cast<int>(piece), first};
  }

  template <form Shape> static auto typed(const part& p) {
    using enum form;
    if constexpr (Shape == fused) {
      return p.map(0) | p.filter(1) | p.running(2) | p.expand(3);
    } else if constexpr (Shape == named) {
      return tw::composite("named" + std::to_string(p.index), p.map(0) | p.filter(1) | p.count(2));
    } else if constexpr (Shape == farm_map) {
      return tw::farm(p.map(0), p.outer());
    } else if constexpr (Shape == farm_filter) {
      return tw::farm(p.filter(0), p.outer());
    } else if constexpr (Shape == farm_expand) {
      return tw::farm(p.expand(0), p.outer());
    } else if constexpr (Shape == farm_line) {
      return tw::farm(p.map(0) | p.filter(1) | p.expand(2), p.scope());
    } else if constexpr (Shape == farm_expansions) {
      return tw::farm(p.expand(0) | p.map(1) | p.expand(2), p.outer());
    } else if constexpr (Shape == farm_nested) {
      return tw::farm(p.map(0) | tw::farm(p.expand(1), p.inner()) | p.filter(2), p.scope());
    } else if constexpr (Shape == farm_deep) {
      return tw::farm(tw::farm(p.map(0), p.inner()), p.outer());
    } else if constexpr (Shape == farm_named) {
      return tw::farm(tw::composite("named", p.map(0) | p.expand(1)) | p.filter(2), p.scope());
    } else if constexpr (Shape == farms_adjacent) {
      return tw::farm(p.map(0), p.outer()) | tw::farm(p.expand(1), p.inner());
    } else if constexpr (Shape == farms_apart) {
      return tw::farm(p.map(0), p.outer()) | p.running(1) | tw::farm(p.expand(2), p.inner());
    } else if constexpr (Shape == farm_own) {
      return tw::farm(p.own_map(0), p.outer());
    } else if constexpr (Shape == farm_own_line) {
      return tw::farm(p.own_map(0) | p.own_expand(1), p.outer());
    } else if constexpr (Shape == farm_partial) {
      return tw::farm(p.partial(0), p.outer()) | p.gather(1);
    } else if constexpr (Shape == farm_partial_line) {
      return tw::farm(p.partial(0) | p.expand(1), p.outer()) | tw::farm(p.expand(2), p.inner()) | p.gather(3);
    }
  }

  [[nodiscard]] static line single(const part& p) {
    switch (p.p.ops.front().what) {
      case verb::filter:
        return p.filter(0);
      case verb::expand:
        return p.expand(0);
      case verb::running:
        return p.running(0);
      case verb::triples:
        return tw::flat_map(p.make<tripler>(0), p.of(0));
      case verb::count:
        return p.count(0);
      default:
        return p.map(0);
    }
  }

  [[nodiscard]] static line erased(const part& p) {
    using enum form;
    switch (p.p.shape) {
      case single:
        return builder::single(p);
      case batches: {
        const auto& o = p.p.ops.front();
        return tw::batch(o.amount, std::chrono::microseconds(o.timed ? 100 : 0), p.of(0)) |
               tw::unbatch(p.of(1));
      }
      case fused:
        return typed<fused>(p);
      case named:
        return typed<named>(p);
      case farm_map:
        return typed<farm_map>(p);
      case farm_filter:
        return typed<farm_filter>(p);
      case farm_expand:
        return typed<farm_expand>(p);
      case farm_line:
        return typed<farm_line>(p);
      case farm_expansions:
        return typed<farm_expansions>(p);
      case farm_nested:
        return typed<farm_nested>(p);
      case farm_deep:
        return typed<farm_deep>(p);
      case farm_named:
        return typed<farm_named>(p);
      case farms_adjacent:
        return typed<farms_adjacent>(p);
      case farms_apart:
        return typed<farms_apart>(p);
      case farm_own:
        return typed<farm_own>(p);
      case farm_own_line:
        return typed<farm_own_line>(p);
      case farm_partial:
        return typed<farm_partial>(p);
      case farm_partial_line:
        return typed<farm_partial_line>(p);
    }
    return builder::single(p);
  }

  // --- ends ---

  template <class Op> [[nodiscard]] Op source_op() const {
    Op made;
    made.run = run_;
    made.number = 0;
    return made;
  }
  [[nodiscard]] tw::options source_options() const { return options_of(job_.source, 0, "source"); }

  template <class Items> [[nodiscard]] Items items() const {
    Items all;
    for (long i = 0; i < job_.items; ++i) all.push_back(item_of(job_, i));
    run_->given = job_.items;
    return all;
  }

  [[nodiscard]] auto pull() const { return tw::source(source_op<giver>(), source_options()); }
  [[nodiscard]] auto vector() const { return tw::source(items<std::vector<long>>(), source_options()); }
  [[nodiscard]] auto emitting() const { return tw::source(source_op<eager_giver>(), source_options()); }

  [[nodiscard]] std::size_t sink_number() const { return run_->stages.size() - 1; }
  [[nodiscard]] tw::options sink_options() const { return options_of(job_.sink, sink_number(), "sink"); }
  [[nodiscard]] auto sink() const { return tw::sink(taker{{probe{run_, sink_number()}}}, sink_options()); }
  [[nodiscard]] auto sinks() const {
    return tw::farm(tw::sink(shared_taker{{probe{run_, sink_number()}}}, sink_options()),
                    options_of(job_.sinks));
  }

  [[nodiscard]] whole joined_job() const {
    tw::any_pipeline<void, long> made = head();
    for (std::size_t i = 0; i < job_.pieces.size(); ++i) made = std::move(made) | erased(part_of(i));
    if (job_.replicated_sink) return std::move(made) | sinks();
    return std::move(made) | sink();
  }

  [[nodiscard]] tw::any_pipeline<void, long> head() const {
    switch (job_.from) {
      case origin::pull_token:
        return tw::source(source_op<patient_giver>(), source_options());
      case origin::vector:
        return vector();
      case origin::list:
        return tw::source(items<std::list<long>>(), source_options());
      case origin::emitting:
        return emitting();
      case origin::paced:
        return tw::paced(source_op<giver>(), 200'000.0, source_options());
      default:
        return pull();
    }
  }

  // Compiled apart for each kind of source, which takes its time: not all combinations are worth it.
  [[nodiscard]] whole typed_job() const {
    using enum form;
    const bool pulled = job_.from == origin::pull;
    switch (job_.typed) {
      case 0:
        return pulled ? whole(pull() | typed<farm_map>(part_of(0)) | sink())
                      : whole(vector() | typed<farm_map>(part_of(0)) | sink());
      case 1: {
        const auto line = typed<named>(part_of(0)) | typed<farm_line>(part_of(1)) | sink();
        return pulled ? whole(pull() | line) : whole(emitting() | line);
      }
      case 2: {
        const auto line = typed<farms_apart>(part_of(0)) | sink();
        return pulled ? whole(pull() | line) : whole(vector() | line);
      }
      case 3:
        return pull() | typed<farm_nested>(part_of(0)) | sinks();
      default:
        return pull() | typed<farm_partial_line>(part_of(0)) | sink();
    }
  }

  std::shared_ptr<witness> run_;
  const job& job_;
};

}  // namespace

builder::whole build(std::shared_ptr<witness> run) {
  return builder(std::move(run)).build();
}

RC_GTEST_PROP(RandomJobs, AreBuiltAsDescribed, ()) {
  const auto j = *any_job(joins::either);
  const auto stages = stages_of(j);
  const auto json = nlohmann::json::parse(tw::to_json(build(std::make_shared<witness>(j, false))));
  RC_ASSERT(json.at("stages").size() == stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& built = json.at("stages")[s];
    RC_ASSERT(built.at("name").get<std::string>() == stages[s].path);
    RC_ASSERT(built.contains("farm") == (stages[s].farm >= 0));
    if (s == 0 || stages[s].farm < 0 || stages[s - 1].farm < 0) continue;
    // Neighbours are replicated together if they are in one farm of one piece.
    const bool together = stages[s].piece == stages[s - 1].piece && stages[s].farm == stages[s - 1].farm;
    RC_ASSERT((built.at("farm") == json.at("stages")[s - 1].at("farm")) == together);
  }
}

}  // namespace random_jobs
