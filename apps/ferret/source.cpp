#include "apps/ferret/source.hpp"

#include <system_error>
#include <utility>

#include "apps/support/folder.hpp"

namespace apps::ferret {

source::source(std::filesystem::path path, input_held held) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    files_ = files_in(path, {".ppm"});
  else if (path.extension() == ".ppm" && !pack_reader::is_pack(path))
    files_.push_back(std::move(path));
  else
    pack_.emplace(std::move(path));
  if (held == input_held::on_disk) return;
  while (auto next = read()) held_.push_back(std::move(*next));
}

std::optional<query> source::operator()() {
  if (held_.empty()) return read();
  auto next = std::move(held_.front());
  held_.pop_front();
  return next;
}

std::optional<query> source::read() {
  query next;
  if (pack_) {
    auto unpacked = (*pack_)();
    if (!unpacked) return std::nullopt;
    next.name = std::move(unpacked->name);
    next.shown = std::move(unpacked->shows);
  } else {
    if (number_ == files_.size()) return std::nullopt;
    next.name = files_[number_].filename().string();
    next.shown = read_ppm(files_[number_]);
  }
  next.number = number_++;
  return next;
}

}  // namespace apps::ferret
