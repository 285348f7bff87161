// Two sources, whose words count for each of them.
#include <word_count.hpp>

#if __cplusplus != 201402L
#error "It is to be compiled as SPBench compiles its programs"
#endif

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Source first(2, 0, 1, 0);
  spb::Source second;
  second.init();
  spb::Counts counts;
  while (!(first.depleted() && second.depleted())) {
    for (spb::Source* source : {&first, &second}) {
      spb::Item item = source->getItem();
      spb::Split::op(item);
      spb::Combine::op(item);
      spb::Count::op(item, counts);
    }
  }
  spb::Sink::op(counts);
  spb::end_bench();
  return 0;
}
