#include "repeats.hpp"

#include <cstdio>
#include <utility>

namespace THALWEG_NAMESPACE::net::mqtt {

void repeats::read(std::string_view line) {
  if (!line.starts_with(begins_)) return;
  const std::string rest(line.substr(begins_.size()));
  int again = 0, qos = 0, retained = 0, number = 0;
  if (std::sscanf(rest.c_str(), "%d, q%d, r%d, m%d,", &again, &qos, &retained, &number) != 4 || qos != 2)
    return;
  owed_.erase(number);
  auto& copies = copies_[number];
  // The broker uses the number anew: it does not send a message again whose coming it has heard of.
  if (given_.erase(number) > 0) spare_ -= copies;
  ++copies;
}

bool repeats::again(int number) {
  const auto found = copies_.find(number);
  if (found == copies_.end()) return false;  // the log is not as expected
  owed_.erase(number);
  const bool first = given_.insert(number).second;
  spare_ += first ? found->second - 1 : -1;
  if (--found->second == 0) copies_.erase(found);
  return !first;
}

void repeats::confirm_no_more() {
  owed_.clear();
  for (const auto& [number, copies] : copies_)
    if (!given_.contains(number)) owed_.insert(number);
}

void repeats::clear(bool of_broker) {
  copies_.clear();
  owed_.clear();
  spare_ = 0;
  if (of_broker) given_.clear();
}

}  // namespace THALWEG_NAMESPACE::net::mqtt
