#include <thalweg/model/errors.hpp>
#include <thalweg/stages/lines.hpp>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE::stages {

void check_lines(const lines_options& how, model::stage_info& info) {
  if (how.longest < 1)
    info.problems.push_back("its .longest line must have at least 1 byte, not " +
                            std::to_string(how.longest));
  if (auto problem = how.compressed.problem(); !problem.empty())
    info.problems.push_back("its .compressed: " + std::move(problem));
}

std::optional<std::string> line_reader::next_across(const std::stop_token& stop) {
  if (broken_ == broken::too_long) refuse();  // it is tried again
  // What is begun is kept in the object: a read that fails may be tried again.
  do {
    const auto ahead = in_.ahead();
    const auto length = std::min(ahead.find('\n'), ahead.size());
    const bool whole = length < ahead.size();
    if (broken_ == broken::no) {
      if (begun_.size() + length > longest_) refuse();
      begun_.append(ahead, 0, length);
    }
    in_.take(length + (whole ? 1 : 0));
    if (!whole) continue;
    ++number_;
    if (std::exchange(broken_, broken::no) == broken::given_up) return next(stop);
    begun_.resize(without_cr(begun_.data(), begun_.size()));
    return std::exchange(begun_, {});
  } while (!in_.ahead().empty() || fill(stop));
  // The beginning of a line that was not waited for is none.
  if (begun_.empty() || stop.stop_requested()) return {};
  ++number_;
  return std::exchange(begun_, {});
}

bool line_reader::fill(const std::stop_token& stop) {
  try {
    return in_.fill(stop);
  } catch (const damaged_data& e) {
    fail(("behind line " + std::to_string(number_) + ", at byte " + std::to_string(in_.unpacked()) +
          " of the file, " + e.what())
             .c_str(),
         path(), EBADMSG);
  }
}

void line_reader::refuse() {
  broken_ = broken::too_long;
  begun_ = {};
  fail(("line " + std::to_string(number_ + 1) + " has more than " + std::to_string(longest_) + " bytes")
           .c_str(),
       path(), EMSGSIZE);
}

}  // namespace THALWEG_NAMESPACE::stages
