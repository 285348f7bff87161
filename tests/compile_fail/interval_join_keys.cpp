// expect: thalweg::interval_join: the keys of both streams must have the same type
#include <thalweg/thalweg.hpp>

#include <chrono>
#include <string>

namespace tw = thalweg;
using namespace std::chrono_literals;

struct order {
  int id;
  std::chrono::seconds at;
};
struct payment {
  int order;
  std::string by;
  std::chrono::seconds at;
};

int main() {
  tw::graph g;
  g.add<tw::interval_join<order, payment>>(&order::id, &payment::order, &order::at, &payment::at, 0s, 10s);
#ifdef WRONG
  g.add<tw::interval_join<order, payment>>(&order::id, &payment::by, &order::at, &payment::at, 0s, 10s);
#endif
}
