#include "apps/app_name/sink.hpp"

#include <string>
#include <utility>

#include "apps/support/order.hpp"

namespace apps::app_name {

sink::sink(std::filesystem::path file) : out_(std::move(file)) {}

void sink::operator()(const interval& searched) {
  check_order(out_.path(), "interval", searched.number, due_++);
  out_.write(std::to_string(searched.first) + " " + std::to_string(searched.longest) + " " +
             std::to_string(searched.steps) + "\n");
}

void sink::close() {
  out_.close();
}

}  // namespace apps::app_name
