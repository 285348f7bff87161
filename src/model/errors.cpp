#include <thalweg/model/errors.hpp>
#include <thalweg/model/type_name.hpp>

#include <typeinfo>

#include <cxxabi.h>

namespace THALWEG_NAMESPACE {

namespace {

std::string joined(const std::vector<std::string>& problems) {
  std::string text = problems.size() == 1 ? "this job cannot run: " : "this job cannot run:";
  for (const auto& p : problems) text += (problems.size() == 1 ? "" : "\n  - ") + p;
  return text;
}

}  // namespace

invalid_job::invalid_job(std::vector<std::string> problems)
    : error(joined(problems)), problems_(std::move(problems)) {}

stage_error::stage_error(std::string stage, int replica, const std::string& message)
    : error("stage '" + stage + "'" + (replica > 0 ? " (replica " + std::to_string(replica) + ")" : "") +
            ": " + message),
      stage_(std::move(stage)),
      replica_(replica) {}

stage_error::stage_error(std::string stage, int replica, const std::string& message, int rank,
                         std::string host)
    : stage_error(std::move(stage), replica, message) {
  rank_ = rank;
  host_ = std::move(host);
}

namespace model {

std::string message_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (const char* text) {
    return text;
  } catch (const std::string& text) {
    return text;
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (type == nullptr) return "an exception of unknown type";
    return "an exception of type " + type_name(*type);
  }
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
