#include <memory>
#include <vector>

#include <ferret.hpp>
#include <ff/ff.hpp>

// Farms without emitters and collectors: each worker of one stage sends to all of the next.

struct entrance : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override { return item; }
};

template <class Operator> struct worker : ff::ff_monode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    Operator::op(*item);
    return item;
  }
};

struct source : ff::ff_monode_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return spb::Source::op(*item) ? item.release() : EOS;
  }
};

struct sink : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Sink::op(*item);
    return GO_ON;
  }
};

// A thread for each worker, which FastFlow deletes.
template <class Operator> std::vector<ff::ff_node*> workers() {
  std::vector<ff::ff_node*> all;
  for (int i = 0; i < spb::nthreads; ++i)
    all.push_back(new ff::ff_comb(new entrance, new worker<Operator>, true, true));
  return all;
}

template <class First, class Second> std::unique_ptr<ff::ff_a2a> all_to_all() {
  auto both = std::make_unique<ff::ff_a2a>();
  both->add_firstset(workers<First>(), 1, true);  // on demand
  both->add_secondset(workers<Second>(), true);
  return both;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  source first;
  sink last;
  const auto describe = all_to_all<spb::Segmentation, spb::Extract>();
  const auto search = all_to_all<spb::Vectorization, spb::Rank>();
  ff::ff_pipeline pipe;
  pipe.add_stage(&first);
  pipe.add_stage(describe.get());
  pipe.add_stage(search.get());
  pipe.add_stage(&last);
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
