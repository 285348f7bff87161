#include "apps/ferret/sink.hpp"

#include <utility>

#include "apps/support/error.hpp"

namespace apps::ferret {

sink::sink(std::filesystem::path file, const database& collection)
    : out_(std::move(file)), collection_(&collection) {}

void sink::operator()(const query& ranked) {
  if (ranked.number < due_) fail(ranked.number, "came twice");
  if (ranked.number > due_) {
    if (!early_.emplace(ranked.number, line_of(ranked)).second) fail(ranked.number, "came twice");
    return;
  }
  out_.write(line_of(ranked));
  for (++due_; !early_.empty() && early_.begin()->first == due_; ++due_) {
    out_.write(early_.begin()->second);
    early_.erase(early_.begin());
  }
}

void sink::close() {
  if (!early_.empty()) fail(due_, "is missing");
  out_.close();
}

void sink::fail(std::uint64_t number, const char* what) const {
  throw error("'" + out_.path().string() + "' is not written: query " + std::to_string(number) + " " + what);
}

const std::string& sink::line_of(const query& ranked) {
  line_ = ranked.name;
  for (const auto& [picture, distance] : ranked.ranking) {
    const auto fraction = std::to_string(unit_weight + distance % unit_weight);  // 1ddd
    line_ += '\t';
    line_ += collection_->name(picture);
    line_ += ':';
    line_ += std::to_string(distance / unit_weight);
    line_ += '.';
    line_.append(fraction, 1);
  }
  return line_ += '\n';
}

}  // namespace apps::ferret
