#include "apps/mandelbrot/inputs.hpp"
#include "apps/mandelbrot/mandelbrot.hpp"
#include "apps/mandelbrot/operator_names.hpp"

namespace apps::mandelbrot {

const application& about() {
  static const application mandelbrot = [] {
    application made;
    made.name = "mandelbrot";
    made.says = "draws the Mandelbrot set, line by line";
    made.output = "the picture";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return mandelbrot;
}

}  // namespace apps::mandelbrot
