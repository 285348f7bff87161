#include "apps/mandelbrot_zoom/inputs.hpp"
#include "apps/mandelbrot_zoom/mandelbrot_zoom.hpp"
#include "apps/mandelbrot_zoom/operator_names.hpp"

namespace apps::mandelbrot_zoom {

const application& about() {
  static const application mandelbrot_zoom = [] {
    application made;
    made.name = "mandelbrot_zoom";
    made.says = "films the Mandelbrot set from ever nearer, and blurs the frames";
    made.output = "the film";
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return mandelbrot_zoom;
}

}  // namespace apps::mandelbrot_zoom
