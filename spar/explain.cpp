#include "explain.hpp"

#include <algorithm>

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>

#include "library.hpp"

namespace thalweg::spar {
namespace {

/// A part of a stream, in words: the source, a stage, or what is kept behind the stream.
struct box {
  std::string title;
  std::vector<std::string> lines;
  bool replicated = false;
};

/// A stream in words, which both pictures show.
struct picture {
  std::string title;
  std::vector<box> boxes;
  std::vector<std::vector<std::string>> between;  ///< what travels from box to box
  std::vector<std::string> kept;                  ///< after the loop
};

class source_text {
 public:
  explicit source_text(clang::ASTContext& context) : sources_(context.getSourceManager()) {}

  void add(const stream& s, const std::string& inside, std::vector<picture>& to) const {
    const auto here = to.size();
    to.push_back(draw(s, inside));
    const auto title = to[here].title;
    for (const auto& inner : s.nested) add(inner, title, to);
  }

 private:
  [[nodiscard]] std::string lines(extent where) const {
    const auto file = sources_.getMainFileID();
    const auto first = sources_.getLineNumber(file, static_cast<unsigned>(where.begin));
    const auto last = sources_.getLineNumber(
        file, static_cast<unsigned>(where.end > where.begin ? where.end - 1 : where.end));
    return first == last ? "line " + std::to_string(first)
                         : "lines " + std::to_string(first) + " to " + std::to_string(last);
  }

  [[nodiscard]] picture draw(const stream& s, const std::string& inside) const {
    picture made;
    made.title = "stream";
    if (s.function != nullptr) {
      const bool unnamed = !s.function->getDeclName().isIdentifier() || s.function->getName().empty();
      const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(s.function);
      if (method != nullptr && method->getParent()->isLambda()) {
        made.title += " in a lambda";
      } else {
        made.title +=
            " in '" + (unnamed ? plain_name(s.function) : s.function->getQualifiedNameAsString()) + "'";
      }
    }
    made.title += ", " + lines({s.says.where.begin, s.text.end});
    if (!inside.empty()) made.title += " (inside the " + inside + ")";
    const auto source_end = s.stages.empty() ? s.text.end : s.stages.front().says.where.begin;
    made.boxes.push_back({"source, " + lines({s.text.begin, last_character(source_end)}),
                          shared(s, s.source_uses, -1), false});
    for (std::size_t i = 0; i < s.stages.size(); ++i) {
      made.between.push_back(travels(s, i));
      made.boxes.push_back(draw(s, i));
    }
    for (const auto& each : s.variables) {
      if (each->owner >= 0) {
        made.kept.push_back(each->name + ": " + each->type + ", the state of stage " +
                            std::to_string(each->owner + 1));
      } else if (each->last_holder >= 0) {
        made.kept.push_back(each->name + ": " + each->type + ", from the last item");
      }
    }
    return made;
  }

  /// The end of what stands before an attribute, without the space between.
  [[nodiscard]] std::size_t last_character(std::size_t end) const {
    const auto text = sources_.getBufferData(sources_.getMainFileID());
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\n' || text[end - 1] == '\t' ||
                       text[end - 1] == '\r')) {
      --end;
    }
    return end;
  }

  [[nodiscard]] std::vector<std::string> travels(const stream& s, std::size_t i) const {
    std::vector<std::string> made;
    for (const auto* each : s.stages[i].before) {
      std::string how;
      if (each->reference || each->declared->getType()->isPointerType()) {
        how = "its address";
      } else if (i == 0) {
        how = each->dies ? "moved" : "copied";
      } else {
        how = "moved";
      }
      made.push_back(each->name + ": " + each->type + ", " + how);
    }
    if (made.empty()) made.push_back("items without a variable");
    return made;
  }

  static std::string names(const std::vector<variable*>& list) {
    std::string made;
    for (const auto* each : list) made += (made.empty() ? "" : ", ") + each->name;
    return made;
  }

  /// What a part uses and others may use, too.
  [[nodiscard]] std::vector<std::string> shared(const stream& s, const std::vector<use>& uses,
                                                int number) const {
    std::string read, changed;
    for (const auto& each : uses) {
      const auto known = std::find_if(s.variables.begin(), s.variables.end(),
                                      [&](const auto& one) { return one->declared == each.declared; });
      const bool takes_part = known != s.variables.end();
      if (takes_part && ((*known)->inside || !(*known)->shared)) continue;
      if (declared_inside(s, each.declared) || in_std(each.declared)) continue;
      const auto* declared = clang::dyn_cast<clang::VarDecl>(each.declared);
      if (declared != nullptr && declared->isConstexpr()) continue;
      auto& to = each.changes || each.may_change ? changed : read;
      to += (to.empty() ? "" : ", ") + each.declared->getNameAsString();
    }
    std::vector<std::string> made;
    const std::string who = number < 0 ? "" : "shared, ";
    if (!read.empty()) made.push_back(who + "read: " + read);
    if (!changed.empty()) made.push_back(who + (number < 0 ? "changes: " : "may be changed: ") + changed);
    return made;
  }
  [[nodiscard]] bool declared_inside(const stream& s, const clang::ValueDecl* declared) const {
    const auto where = sources_.getExpansionLoc(declared->getLocation());
    if (!sources_.isInMainFile(where)) return false;
    const auto offset = sources_.getFileOffset(where);
    return s.text.begin <= offset && offset < s.text.end;
  }

  [[nodiscard]] box draw(const stream& s, std::size_t i) const {
    const auto& of = s.stages[i];
    box made;
    made.title = "stage " + std::to_string(i + 1) + ", " + lines(of.text);
    made.replicated = of.replicated;
    if (const auto* adaptive = of.says.find("Adaptive");
        adaptive != nullptr && adaptive->arguments.size() == 2) {
      made.title += " × " + adaptive->arguments[0].text + " to " + adaptive->arguments[1].text;
    } else if (of.replicated) {
      made.title += " × " + (of.replicas.empty() ? "SPAR_NUM_WORKERS" : of.replicas);
    }
    if (!of.inputs.empty()) made.lines.push_back("reads " + names(of.inputs));
    if (!of.outputs.empty()) made.lines.push_back("gives " + names(of.outputs));
    for (const auto& each : shared(s, of.uses, static_cast<int>(i))) made.lines.push_back(each);
    for (const auto& each : of.says.clauses) {
      if (each.ours && each.name != "Adaptive") made.lines.push_back(words(each));
    }
    if (of.leaves_out()) made.lines.push_back("leaves items out: continue");
    return made;
  }

  static std::string words(const clause& which) {
    std::string arguments;
    for (const auto& each : which.arguments) arguments += (arguments.empty() ? "" : ", ") + each.text;
    if (which.name == "Unordered") return "items may overtake each other";
    if (which.name == "Blocking") return "waits for the outside";
    if (which.name == "KeyBy") return "items of the same " + arguments + " go to the same replica";
    if (which.name == "Batch") return "gets items in batches: " + arguments;
    if (which.name == "On") return "runs on " + arguments;
    return which.name;
  }

  const clang::SourceManager& sources_;
};

std::vector<picture> pictures(const std::vector<stream>& streams, clang::ASTContext& context) {
  std::vector<picture> made;
  const source_text read(context);
  for (const auto& each : streams) read.add(each, "", made);
  return made;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string repeat(const std::string& what, std::size_t times) {
  std::string made;
  for (std::size_t i = 0; i < times; ++i) made += what;
  return made;
}

std::string frame(const box& of, std::size_t wide) {
  const auto row = [&](const std::string& text) {
    return "  │ " + text + std::string(wide - width(text), ' ') + " │" + (of.replicated ? "│" : "") + "\n";
  };
  std::string made = "  ┌" + repeat("─", wide + 2) + "┐" + (of.replicated ? "┐" : "") + "\n" + row(of.title);
  for (const auto& each : of.lines) made += row("  " + each);
  return made + "  └" + repeat("─", wide + 2) + "┘" + (of.replicated ? "┘" : "") + "\n";
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (c == '\n') {
      made += "\\n";
    } else {
      made += c;
    }
  }
  return made + "\"";
}

std::string as_lines(const std::vector<std::string>& lines, const std::string& first = "") {
  std::string made = first;
  for (const auto& each : lines) made += (made.empty() ? "" : "\n") + each;
  return made;
}

}  // namespace

std::string explain(const std::vector<stream>& streams, clang::ASTContext& context) {
  std::string made;
  for (const auto& each : pictures(streams, context)) {
    std::size_t wide = 30;
    for (const auto& one : each.boxes) {
      wide = std::max(wide, width(one.title));
      for (const auto& line : one.lines) wide = std::max(wide, width(line) + 2);
    }
    made += (made.empty() ? "" : "\n") + each.title + "\n\n";
    for (std::size_t i = 0; i < each.boxes.size(); ++i) {
      made += frame(each.boxes[i], wide);
      if (i + 1 == each.boxes.size()) continue;
      for (const auto& what : each.between[i]) made += "      │  " + what + "\n";
      made += "      ▼\n";
    }
    if (!each.kept.empty()) made += "\n  after the loop:\n";
    for (const auto& what : each.kept) made += "    " + what + "\n";
  }
  return made.empty() ? "no stream in this file\n" : made;
}

std::string explain_dot(const std::vector<stream>& streams, clang::ASTContext& context) {
  std::string made =
      "digraph streams {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n";
  std::size_t number = 0;
  for (const auto& each : pictures(streams, context)) {
    const auto id = "s" + std::to_string(number++);
    made += "  subgraph cluster_" + id + " {\n    label=" + quoted(each.title) + ";\n";
    for (std::size_t i = 0; i < each.boxes.size(); ++i) {
      const auto& one = each.boxes[i];
      made += "    " + id + "_" + std::to_string(i) + " [label=" + quoted(as_lines(one.lines, one.title)) +
              (one.replicated ? ", peripheries=2" : "") + "];\n";
    }
    for (std::size_t i = 0; i + 1 < each.boxes.size(); ++i) {
      made += "    " + id + "_" + std::to_string(i) + " -> " + id + "_" + std::to_string(i + 1) +
              " [label=" + quoted(as_lines(each.between[i])) + "];\n";
    }
    if (!each.kept.empty()) {
      made +=
          "    " + id + "_kept [shape=note, label=" + quoted(as_lines(each.kept, "after the loop")) + "];\n";
      made +=
          "    " + id + "_" + std::to_string(each.boxes.size() - 1) + " -> " + id + "_kept [style=dashed];\n";
    }
    made += "  }\n";
  }
  return made + "}\n";
}

}  // namespace thalweg::spar
