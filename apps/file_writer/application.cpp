#include "apps/file_writer/file_writer.hpp"
#include "apps/file_writer/inputs.hpp"
#include "apps/file_writer/operator_names.hpp"

namespace apps::file_writer {

const application& about() {
  static const application file_writer = [] {
    application made;
    made.name = "file_writer";
    made.says = "writes many files, and a list of them";
    made.output = "the folder of files";
    made.edition = 2;
    for (const auto& input : inputs) made.inputs.emplace_back(input.name);
    made.operators = operator_names();
    made.generate = generate;
    made.verify = verify;
    return made;
  }();
  return file_writer;
}

}  // namespace apps::file_writer
