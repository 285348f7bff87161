// An attribute that a macro makes.
#include "items.hpp"

#define STAGE [[spar::Stage, spar::Input(img)]]

void run() {
  [[spar::ToStream]] for (int i = 0; i < 10; ++i) {
    image img = read(i);
    STAGE write(img);
  }
}

// expect: 4:15: error: an attribute of SPar in a line of the preprocessor is not translated
// expect: 4:15: note: write it out where the macro is used
