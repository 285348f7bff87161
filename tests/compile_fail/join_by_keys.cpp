// expect: thalweg::join_by: the keys of both streams must have the same type
#include <thalweg/thalweg.hpp>

#include <string>

namespace tw = thalweg;

struct order {
  int id;
};
struct payment {
  int order;
  std::string by;
};

int main() {
  tw::graph g;
  g.add<tw::join_by<order, payment>>(&order::id, &payment::order);
#ifdef WRONG
  g.add<tw::join_by<order, payment>>(&order::id, &payment::by);
#endif
}
