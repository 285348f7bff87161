#include <thread>
#include <utility>
#include <vector>

#include <person_recognition.hpp>

using queue = SharedQueue<spb::Item>;

// The thread of a stage.
template <class Operator> std::jthread stage(queue& from, queue& to) {
  return std::jthread([&from, &to] {
    for (spb::Item item; from.dequeue(item);) {
      Operator::op(item);
      to.enqueue(std::move(item));
    }
    to.close();
  });
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  constexpr int waiting = 2;
  queue frames(waiting), detected(waiting), recognized(waiting);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) frames.enqueue(std::move(item));
      frames.close();
    });
    threads.push_back(stage<spb::Detect>(frames, detected));
    threads.push_back(stage<spb::Recognize>(detected, recognized));
    for (spb::Item item; recognized.dequeue(item);) spb::Sink::op(item);
  }
  spb::Metrics::stop();
  spb::end_bench();
}
