// A stream in a function that a compiler may run.
constexpr int sum(int count) {
  int all = 0;
  [[spar::ToStream]] for (int i = 0; i < count; ++i) {
    [[spar::Stage, spar::Input(i), spar::Output(all)]] all += i;
  }
  return all;
}

// expect: 4:3: error: a stream in a constexpr function: no thread runs while a program is compiled
// expect: 4:3: note: remove 'constexpr' from the function
