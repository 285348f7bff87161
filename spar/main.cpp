#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "attributes.hpp"
#include "checks.hpp"
#include "clang.hpp"
#include "explain.hpp"
#include "find_streams.hpp"
#include "options.hpp"
#include "suggest.hpp"
#include "uses.hpp"
#include "write.hpp"

namespace thalweg::spar {
namespace {

/// One translation: what the user wrote, what Clang reads, and what comes out.
struct translation {
  const options& told;
  std::string path;
  std::string text;    ///< as the user wrote it
  marked_text marked;  ///< what Clang reads; the user's text again once it has been read
  std::vector<extent> skipped = {};
  std::string output = {};
  bool done = false;

  /// Whether a diagnostic is about a marker, which the user has not written: the attribute that it stands
  /// for.
  [[nodiscard]] const attribute* marks(const clang::StoredDiagnostic& d) const {
    if (d.getLocation().isInvalid() || !d.getLocation().isFileID()) return nullptr;
    const auto& sources = d.getLocation().getManager();
    if (!sources.isInMainFile(d.getLocation())) return nullptr;
    const auto offset = sources.getFileOffset(d.getLocation());
    for (const attribute& a : marked.attributes) {
      if (a.marker == offset) return &a;
    }
    return nullptr;
  }
};

/// Keeps what Clang reports until the markers are gone: then its excerpts show what the user wrote.
class keeping : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) override {
    kept.emplace_back(level, d);
  }
  std::vector<clang::StoredDiagnostic> kept;
};

/// Parts that the preprocessor leaves out.
class skipping : public clang::PPCallbacks {
 public:
  skipping(translation& of, const clang::SourceManager& sources) : of_(of), sources_(sources) {}
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override {
    if (!sources_.isInMainFile(range.getBegin())) return;
    of_.skipped.push_back({sources_.getFileOffset(range.getBegin()), sources_.getFileOffset(range.getEnd())});
  }

 private:
  translation& of_;
  const clang::SourceManager& sources_;
};

class consumer : public clang::ASTConsumer {
 public:
  consumer(translation& of, std::vector<clang::StoredDiagnostic>& kept, clang::DiagnosticConsumer* real)
      : of_(of), kept_(kept), real_(real) {}

  // Only what the main file says is of interest.
  bool shouldSkipFunctionBody(clang::Decl* d) override {
    auto& sources = d->getASTContext().getSourceManager();
    return !sources.isInMainFile(sources.getExpansionLoc(d->getLocation()));
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    clang::DiagnosticsEngine& to = context.getDiagnostics();
    const bool failed = to.hasErrorOccurred();
    of_.marked.text.replace(0, of_.text.size(), of_.text);
    to.setClient(real_, false);
    for (const clang::StoredDiagnostic& d : kept_) {
      if (!of_.marks(d)) to.Report(d);
    }
    to.setIgnoreAllWarnings(false);
    const places where(context, of_.text);
    for (const problem& p : of_.marked.problems) where.error(p);
    check_headers(where);
    // Where an attribute stands on a declaration, Clang has complained of the marker.
    if (failed) report_marked(where);
    if (failed || to.hasErrorOccurred()) return;
    if (of_.told.gives == options::what::suggestions) {
      of_.output = suggest(context);
      of_.done = true;
      return;
    }
    std::vector<stream> streams = find_streams(where, of_.marked.attributes, of_.skipped);
    if (to.hasErrorOccurred()) return;
    for (stream& s : streams) find_uses(s, where);
    if (!check(streams, context)) return;
    if (of_.told.gives == options::what::picture) of_.output = explain(streams, context);
    if (of_.told.gives == options::what::dot) of_.output = explain_dot(streams, context);
    if (of_.told.gives == options::what::program) of_.output = write(streams, where, of_.told);
    of_.done = true;
  }

 private:
  void report_marked(const places& where) const {
    for (const clang::StoredDiagnostic& d : kept_) {
      const attribute* a = of_.marks(d);
      if (a != nullptr && d.getLevel() >= clang::DiagnosticsEngine::Error) where.error(misplaced(*a));
    }
  }

  // Only the main file is translated.
  static void check_headers(const places& where) {
    auto& sources = where.context().getSourceManager();
    for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
      const auto& entry = sources.getLocalSLocEntry(i);
      if (!entry.isFile() || clang::SrcMgr::isSystem(entry.getFile().getFileCharacteristic())) continue;
      const auto begin = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
      const auto file = sources.getFileID(begin);
      if (file.isInvalid() || file == sources.getMainFileID() || !entry.getFile().getContentCache().OrigEntry)
        continue;
      const std::string text = sources.getBufferData(file).str();
      if (text.find("spar") == std::string::npos) continue;
      const auto found = first_attribute(text);
      if (!found) continue;
      auto& to = where.context().getDiagnostics();
      to.Report(begin.getLocWithOffset(static_cast<int>(found->begin)),
                to.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                   "attributes of SPar in a header are not translated"));
      to.Report(begin.getLocWithOffset(static_cast<int>(found->begin)),
                to.getCustomDiagID(clang::DiagnosticsEngine::Note, "move the function into the source file"));
    }
  }

  translation& of_;
  std::vector<clang::StoredDiagnostic>& kept_;
  clang::DiagnosticConsumer* real_;
};

class action : public clang::ASTFrontendAction {
 public:
  explicit action(translation& of) : of_(of) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getDiagnostics().setIgnoreAllWarnings(true);
    real_ = compiler.getDiagnostics().getClient();
    owned_ = compiler.getDiagnostics().takeClient();
    compiler.getDiagnostics().setClient(&kept_, false);
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<skipping>(of_, compiler.getSourceManager()));
    return std::make_unique<consumer>(of_, kept_.kept, real_);
  }

 private:
  translation& of_;
  keeping kept_;
  clang::DiagnosticConsumer* real_ = nullptr;
  std::unique_ptr<clang::DiagnosticConsumer> owned_;
};

class factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit factory(translation& of) : of_(of) {}
  std::unique_ptr<clang::FrontendAction> create() override { return std::make_unique<action>(of_); }

 private:
  translation& of_;
};

std::string read(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw std::invalid_argument("'" + path + "' is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::invalid_argument("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(in), {}};
}

void give(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text) || !out.flush()) throw std::invalid_argument("cannot write '" + path + "'");
}

std::unique_ptr<clang::tooling::CompilationDatabase> database(const options& told) {
  using clang::tooling::CompilationDatabase;
  if (told.database.empty()) {
    std::vector<std::string> flags = told.compiler;
    bool standard = false;
    for (const std::string& f : flags) standard = standard || f.starts_with("-std=");
    if (!standard) flags.push_back("-std=c++20");
    return std::make_unique<clang::tooling::FixedCompilationDatabase>(".", flags);
  }
  std::string problem;
  auto found = CompilationDatabase::loadFromDirectory(told.database, problem);
  if (!found) throw std::invalid_argument("-p " + told.database + ": " + problem);
  return found;
}

int translate(const options& told) {
  translation t{
      told, std::filesystem::absolute(told.input).lexically_normal().string(), read(told.input), {}};
  std::error_code unknown;
  if (!told.output.empty() && std::filesystem::equivalent(told.output, told.input, unknown))
    throw std::invalid_argument("-o '" + told.output + "' is the file that is read");
  t.marked = mark_attributes(t.text);
  const auto commands = database(told);
  // Messages name the file as the user does.
  const auto as_given = [&](const clang::tooling::CommandLineArguments& given, llvm::StringRef) {
    clang::tooling::CommandLineArguments arguments = given;
    if (told.database.empty()) std::ranges::replace(arguments, t.path, told.input);
    return arguments;
  };
  clang::tooling::ClangTool tool(*commands, {told.input});
  tool.mapVirtualFile(t.path, t.marked.text);
  tool.appendArgumentsAdjuster(clang::tooling::getInsertArgumentAdjuster(
      {"-resource-dir", THALWEG_SPAR_CLANG_HEADERS, "-DTHALWEG_SPAR=1"},
      clang::tooling::ArgumentInsertPosition::BEGIN));
  tool.appendArgumentsAdjuster(as_given);
  tool.setPrintErrorMessage(false);
  factory actions(t);
  const int failed = tool.run(&actions);
  if (failed != 0 || !t.done) return 1;
  if (told.print) std::cerr << t.output;
  if (told.file) give(std::filesystem::path(told.input).replace_extension(".spar.cpp").string(), t.output);
  if (told.output.empty()) {
    std::cout << t.output;
  } else {
    give(told.output, t.output);
  }
  return 0;
}

}  // namespace
}  // namespace thalweg::spar

int main(int argc, char** argv) {
  namespace spar = thalweg::spar;
  for (int i = 1; i < argc && std::string(argv[i]) != "--"; ++i) {
    if (std::string(argv[i]) == "--help") {
      std::cout << spar::usage();
      return 0;
    }
  }
  try {
    return spar::translate(spar::options_from(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << "thalweg-spar: " << e.what() << "\n(thalweg-spar --help)\n";
    return 1;
  }
}
