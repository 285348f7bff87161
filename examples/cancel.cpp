// cancel: the run ends as soon as the operators that are being called return.
//
// An operator that may take long can take a `std::stop_token` behind its item: the token tells it that the
// run shall end. Whatever waits inside Thalweg wakes by itself; what waits in your code has to return.
// Cancelling is not an error, so `wait` returns a report as usual.
#include <thalweg/thalweg.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace tw = thalweg;
using namespace std::chrono_literals;

int main() {
  std::atomic<bool> waiting{false};
  // Waits for an answer that never comes, or until the run is cancelled.
  auto ask = [&](int x, std::stop_token stop) {
    std::mutex m;
    std::condition_variable_any answer;
    std::unique_lock hold(m);
    waiting = true;
    answer.wait(hold, stop, [] { return false; });
    return x;
  };
  std::vector<int> answers;

  auto run = tw::launch(tw::source(std::vector{1, 2, 3}) | tw::map(ask) | tw::sink(answers));
  while (!waiting) std::this_thread::sleep_for(1ms);
  run.cancel();
  const tw::report end = run.wait();

  std::cout << "cancelled after " << std::chrono::duration<double, std::milli>(end.elapsed()).count()
            << " ms, " << answers.size() << " answers\n";
  return end.elapsed() < 10s && answers.size() <= 3 ? 0 : 1;
}
