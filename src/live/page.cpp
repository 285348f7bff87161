#include "page.hpp"

#include <thalweg/model/errors.hpp>

#include <cstdio>
#include <string>

#include "saved_page.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

const options& checked(const options& how) {
  const auto refuse = [](const std::string& why) { throw error("live::options: " + why); };
  if (how.port < 0 || how.port > 65'535) refuse(".port must be 0 to 65535, not " + std::to_string(how.port));
  if (how.every < std::chrono::milliseconds(1))
    refuse(".every must be at least 1 ms, not " + std::to_string(how.every.count()) + " ns");
  if (how.clients < 1 || how.clients > 10'000)
    refuse(".clients must be 1 to 10000, not " + std::to_string(how.clients));
  if (how.history.count() < 0) refuse(".history must not be negative");
  if (const auto why = how.save.empty() ? "" : unwritable(how.save); !why.empty())
    refuse(".save: cannot write '" + how.save + "': " + why);
  return how;
}

}  // namespace

page::page(const options& how, bool served) : past_(checked(how).history), runs(past_, how), traces(runs) {
  if (!served) return;
  http.emplace(how, past_, runs, traces);
  if (how.announce) std::fprintf(stderr, "live: %s\n", http->url().c_str());
}

page::~page() {
  past_.close();  // who listens leaves at once
}

}  // namespace THALWEG_NAMESPACE::live
