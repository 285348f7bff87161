// Loops that are not worth it, and a loop that is a stream already.
void show(int number);

int run(const int (&numbers)[10]) {
  int sum = 0;
  for (const int each : numbers) sum += each;
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    int twice = i * 2;
    [[spar::Stage, spar::Input(twice)]] show(twice);
  }
  return sum;
}
