#pragma once

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

/// The standard input of this process is a pipe for a while.
class as_stdin {
 public:
  as_stdin() : kept_(::dup(0)) {
    if (::pipe(ends_.data()) != 0) ADD_FAILURE() << "no pipe";
    ::dup2(ends_[0], 0);
  }
  as_stdin(const as_stdin&) = delete;
  as_stdin& operator=(const as_stdin&) = delete;
  ~as_stdin() {
    close();
    ::close(ends_[0]);
    if (kept_ >= 0) {
      ::dup2(kept_, 0);
      ::close(kept_);
    } else {
      ::close(0);
    }
  }
  void write(const std::string& text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int kept_;
  std::array<int, 2> ends_{-1, -1};
};
