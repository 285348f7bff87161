// expect: thalweg: only a tw::stage has ports
#include <thalweg/thalweg.hpp>

namespace tw = thalweg;

#ifdef WRONG
struct sender {
#else
struct sender : tw::stage {
  void on_run() override { end(); }
#endif
  tw::out<int> out{this, "out"};
};

int main() {
  sender s;
}
