#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <ff/ff.hpp>
#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

struct source : ff::ff_monode_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return spb::Source::op(*item) ? item.release() : EOS;
  }
};

struct splitter : ff::ff_monode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    for (auto& part : words_by_part(*item, get_num_outchannels())) {
      const auto to = static_cast<int>(part.key);
      ff_send_out_to(std::make_unique<spb::Item>(std::move(part)).release(), to);
    }
    return GO_ON;
  }
};

struct counter : ff::ff_minode_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Count::op(*item, counts);
    return GO_ON;
  }
  void svc_end() override { spb::Sink::op(counts); }

  spb::Counts counts;
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  std::vector<std::unique_ptr<splitter>> splitters;
  std::vector<std::unique_ptr<counter>> counters;
  std::vector<ff::ff_node*> first, second;
  for (int i = 0; i < spb::nthreads; ++i) {
    first.push_back(splitters.emplace_back(std::make_unique<splitter>()).get());
    second.push_back(counters.emplace_back(std::make_unique<counter>()).get());
  }
  source next;
  ff::ff_a2a all_to_all;
  all_to_all.add_firstset(first, 1);  // on demand: whoever has nothing to do gets the next passage
  all_to_all.add_secondset(second);
  ff::ff_pipeline stream;
  stream.add_stage(&next);
  stream.add_stage(&all_to_all);
  if (stream.run_and_wait_end() < 0) ff::error("running the stream\n");
  spb::Metrics::stop();
  spb::end_bench();
}
