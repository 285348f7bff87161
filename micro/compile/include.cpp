// Nothing but the include: what every program pays.
#include <thalweg/thalweg.hpp>

int main() {}
