// Thalweg's own clauses say how, and never change the result: Batch, KeyBy, Adaptive, On, Blocking.
#include <chrono>
#include <cstdio>
#include <thread>

void batches() {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 1000; i++) {
    int value = 0;
    [[spar::Stage, spar::Input(i), spar::Output(value), spar::Replicate(2), thalweg::Batch(64)]] {
      value = i % 7;
    }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum = sum * 3 % 10007 + value; }
  }
  [[spar::ToStream]] for (int i = 0; i < 100; i++) {
    int value = 0;
    [[spar::Stage, spar::Input(i), spar::Output(value), spar::Replicate(2), thalweg::Batch(16, 5)]] {
      value = i % 7;
    }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum = sum * 3 % 10007 + value; }
  }
  std::printf("batches %d\n", sum);
}

// All items of a key go to one replica, in order: its own part of the counts needs no lock.
void keys() {
  int seen[5] = {};
  int total = 0;
  [[spar::ToStream]] for (int i = 0; i < 120; i++) {
    int key = i * i % 5;
    int times = 0;
    [[spar::Stage, spar::Input(key), spar::Output(times, seen[key]), spar::Replicate(3),
      thalweg::KeyBy(key)]] {
      times = ++seen[key];
    }
    [[spar::Stage, spar::Input(key, times), spar::Output(total)]] {
      total = (total * 7 + key * times) % 10007;
    }
  }
  std::printf("keys %d: %d %d %d %d %d\n", total, seen[0], seen[1], seen[2], seen[3], seen[4]);
}

void adaptive() {
  long sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 500; i++) {
    long value = i;
    [[spar::Stage, spar::Input(value), spar::Output(value), thalweg::Adaptive(1, 3)]] {
      value = value * value + 1;
    }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum = sum * 31 % 65537 + value; }
  }
  std::printf("adaptive %ld\n", sum);
}

void on_a_rank() {
  long sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 100; i++) {
    long value = i;
    [[spar::Stage, spar::Input(value), spar::Output(value), thalweg::On(0)]] { value += 3; }
    [[spar::Stage, spar::Input(i, value), spar::Output(sum), thalweg::On(0)]] { sum += value * i; }
  }
  std::printf("on %ld\n", sum);
}

void blocking() {
  int sum = 0;
  [[spar::ToStream]] for (int i = 0; i < 8; i++) {
    int value = i;
    [[spar::Stage, spar::Input(value), spar::Output(value), thalweg::Blocking]] {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      value += 1;
    }
    [[spar::Stage, spar::Input(value), spar::Output(sum)]] { sum = sum * 10 + value; }
  }
  std::printf("blocking %d\n", sum);
}

int main() {
  batches();
  keys();
  adaptive();
  on_a_rank();
  blocking();
  return 0;
}
