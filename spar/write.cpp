#include "write.hpp"

#include <algorithm>

#include "clang.hpp"

namespace thalweg::spar {
namespace {

/// A part of the text, and what takes its place.
struct edit {
  extent where;
  std::string text;
};

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string all;
  for (const std::string& p : parts) all += (all.empty() ? "" : between) + p;
  return all;
}

/// The type of a variable in an item.
std::string kept_as(const variable& v) {
  if (v.reference) return "std::add_pointer_t<" + (v.constant ? "const " : std::string()) + v.type + ">";
  return v.array ? "::thalweg::spar::held<" + v.type + ">" : v.type;
}

/// Items that are numbered have their number behind all variables.
std::string tuple_of(const std::vector<variable*>& held, bool numbered) {
  std::vector<std::string> types;
  for (const variable* v : held) types.push_back(kept_as(*v));
  if (numbered) types.emplace_back("::thalweg::spar::number");
  return "std::tuple<" + joined(types, ", ") + ">";
}

/// The value of a variable for an item that begins here.
std::string value_of(const variable& v, bool moves) {
  if (v.reference) return "std::addressof(" + v.name + ")";
  if (v.array) return (moves ? "::thalweg::spar::moved(" : "::thalweg::spar::copied(") + v.name + ")";
  return moves && !v.constant ? "std::move(" + v.name + ")" : v.name;
}

class writer {
 public:
  writer(const places& where, const options& told) : where_(where), told_(told) {
    for (const char c : told.input) {
      if (c == '"' || c == '\\') file_ += '\\';
      file_ += c;
    }
  }

  std::string program(const std::vector<stream>& streams) {
    if (streams.empty()) return where_.text();
    std::vector<edit> edits = within(streams, {0, where_.text().size()});
    if (told_.mpi()) add_start_of_main(edits);
    const std::string header = told_.mpi() ? "spar_mpi" : "spar";
    return "#include <thalweg/" + header + ".hpp>\n#line 1 \"" + file_ + "\"\n" +
           spliced({0, where_.text().size()}, std::move(edits));
  }

 private:
  /// From here on, lines and columns are those of the user's file again.
  [[nodiscard]] std::string at(std::size_t offset) const {
    return "\n#line " + std::to_string(where_.line(offset)) + " \"" + file_ + "\"\n" +
           std::string(where_.column(offset) - 1, ' ');
  }

  [[nodiscard]] std::string spliced(extent part, std::vector<edit> edits) const {
    std::ranges::sort(edits, {}, [](const edit& e) { return e.where.begin; });
    std::string out;
    std::size_t here = part.begin;
    for (const edit& e : edits) {
      if (e.where.begin < here || e.where.end > part.end) continue;
      out += where_.text({here, e.where.begin}) + e.text;
      here = e.where.end;
      if (e.text.find('\n') != std::string::npos) out += at(here);
    }
    return out + where_.text({here, part.end});
  }

  // All ranks run main; what they print is the same.
  void add_start_of_main(std::vector<edit>& edits) const {
    for (const clang::Decl* d : where_.context().getTranslationUnitDecl()->decls()) {
      const auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
      if (f == nullptr || !f->isMain() || !f->doesThisDeclarationHaveABody()) continue;
      const std::size_t begin = where_.offset(f->getBody()->getBeginLoc()) + 1;
      edits.push_back({{begin, begin}, " ::thalweg::spar::only_rank_0_prints();"});
    }
  }

  std::string written(const stream& s) {
    const std::string outer = std::exchange(prefix_, "spar" + std::to_string(++count_) + "_");
    ++depth_;
    const std::string start = at(s.says.where.begin);
    const std::size_t stages = s.stages.size();
    std::string out = start + "{ " + items(s) + holders(s) + "::thalweg::spar::failure " + failed() + "; ";
    // In the loop's frame: next to what it writes for each item are no variables of other stages.
    const std::string begin = numbered(s) ? "::thalweg::spar::number " + prefix_ + "next = 0; " : "";
    if (s.in_handler) {
      out += "auto " + prefix_ + "source = ::thalweg::spar::emitting_source<" + item(0) +
             ">([&](::thalweg::emitter<" + item(0) + ">& " + prefix_ + "out) {" + begin + at(s.text.begin) +
             source(s) + start + "}, " + failed() + ");";
    } else {
      out += "::thalweg::spar::slot<" + item(0) + "> " + prefix_ + "out; auto " + prefix_ +
             "loop = [&]() -> ::thalweg::spar::rounds {" + begin + at(s.text.begin) + source(s) + start +
             "}; ::thalweg::spar::rounds " + prefix_ + "rounds = " + prefix_ + "loop(); auto " + prefix_ +
             "source = ::thalweg::spar::source(" + prefix_ + "rounds, " + prefix_ + "out, " + failed() + ");";
    }
    std::vector<std::string> line{"std::move(" + prefix_ + "source)"};
    for (std::size_t k = 0; k < stages; ++k) {
      out += written(s, k);
      line.push_back("std::move(" + name(k) + ")");
    }
    if (keeps_last(s)) {
      out += start + "auto " + prefix_ + "last = ::thalweg::sink([&](" + item(stages) + "& " + prefix_ +
             "in) { " + locals(s.stages.back().after) +
             guarded(s, s.stages.back().after.size(), keep_last(s, stages, {}), false) + "});";
      line.push_back("std::move(" + prefix_ + "last)");
    }
    out += start + "::thalweg::spar::run(" + joined(line, " | ") + ", " + policy(s) + ");";
    for (const auto& v : s.variables) {
      if (v->last_holder >= 0) out += " ::thalweg::spar::give_back(" + v->name + ", " + last(*v) + ");";
    }
    out += " " + failed() + ".rethrow(); }";
    --depth_;
    prefix_ = outer;
    return out;
  }

  [[nodiscard]] std::string item(std::size_t k) const { return prefix_ + "item_" + std::to_string(k + 1); }
  [[nodiscard]] std::string name(std::size_t k) const { return prefix_ + "stage_" + std::to_string(k + 1); }
  [[nodiscard]] std::string failed() const { return prefix_ + "failed"; }
  [[nodiscard]] std::string last(const variable& v) const { return prefix_ + "last_" + v.name; }

  /// Whether items have numbers: so that an exception of a stage is known to come behind those before it.
  /// Processes share no memory: there, an exception ends the run.
  [[nodiscard]] bool numbered(const stream& s) const {
    return !across() && std::ranges::any_of(s.stages, &stage::may_throw);
  }
  /// What a stage does with its item, whose number is at a place of the tuple, unless the stream has failed
  /// before that item.
  [[nodiscard]] std::string guarded(const stream& s, std::size_t place, const std::string& does,
                                    bool throws) const {
    if (!numbered(s) || does.empty()) return does;
    const std::string number = "std::get<" + std::to_string(place) + ">(" + prefix_ + "in)";
    const std::string reached = "if (" + failed() + ".reaches(" + number + ")) ";
    if (!throws) return reached + "{ " + does + " } ";
    return reached + "try { " + does + " } catch (...) { " + failed() + ".at(" + number +
           ", std::current_exception()); } ";
  }

  /// Whether a stage behind the last one keeps what the last item gave: replicas cannot.
  static bool keeps_last(const stream& s) {
    return std::ranges::any_of(
        s.variables, [&](const auto& v) { return v->last_holder == static_cast<int>(s.stages.size()); });
  }

  [[nodiscard]] std::string items(const stream& s) const {
    std::string out;
    for (const auto& v : s.variables) {
      for (const std::string& needed : v->prelude) {
        if (!v->shared && out.find(needed) == std::string::npos) out += needed;
      }
    }
    for (std::size_t k = 0; k < s.stages.size(); ++k)
      out += "using " + item(k) + " = " + tuple_of(s.stages[k].before, numbered(s)) + "; ";
    if (keeps_last(s))
      out += "using " + item(s.stages.size()) + " = " + tuple_of(s.stages.back().after, numbered(s)) + "; ";
    return out;
  }

  [[nodiscard]] std::string holders(const stream& s) const {
    std::string out;
    for (const auto& v : s.variables) {
      if (v->last_holder >= 0) out += "::thalweg::spar::slot<" + kept_as(*v) + "> " + last(*v) + "; ";
    }
    return out;
  }

  /// The loop: an item leaves where its first stage was.
  std::string source(const stream& s) {
    const auto in_stage = [&](const stream& inner) {
      return std::ranges::any_of(s.stages,
                                 [&](const stage& one) { return one.text.holds(inner.says.where.begin); });
    };
    std::vector<edit> edits;
    for (const stream& inner : s.nested) {
      if (!in_stage(inner)) edits.push_back({{inner.says.where.begin, inner.text.end}, written(inner)});
    }
    for (std::size_t k = 0; k < s.stages.size(); ++k) {
      const extent where{s.stages[k].says.where.begin, s.stages[k].text.end};
      edits.push_back({where, k == 0 ? at(where.begin) + sent(s) : at(where.begin)});
    }
    return spliced(s.text, std::move(edits));
  }

  [[nodiscard]] std::string sent(const stream& s) const {
    std::vector<std::string> values;
    for (const variable* v : s.stages.front().before) values.push_back(value_of(*v, v->dies));
    if (numbered(s)) values.push_back(prefix_ + "next++");
    std::string unused;
    for (const auto& v : s.variables) {
      // Its declaration stays in the loop, but the stages have their own.
      if (v->inside && !contains(s.stages.front().before, v.get()))
        unused += "static_cast<void>(" + v->name + "); ";
    }
    const std::string item_values = "(" + joined(values, ", ") + ")";
    const std::string sends =
        s.in_handler
            ? "::thalweg::spar::send(" + prefix_ + "out, " + item(0) + item_values + ", " + failed() + ");"
            : prefix_ + "out.emplace" + item_values + "; co_await std::suspend_always{};";
    return "{ " + unused + sends + " }";
  }

  std::vector<edit> within(const std::vector<stream>& streams, extent part) {
    std::vector<edit> edits;
    for (const stream& s : streams) {
      if (part.holds(s.says.where.begin)) edits.push_back({{s.says.where.begin, s.text.end}, written(s)});
    }
    return edits;
  }

  /// The variables of an item, by their names.
  [[nodiscard]] std::string locals(const std::vector<variable*>& held) const {
    std::string out;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const variable& v = *held[i];
      const std::string part = "std::get<" + std::to_string(i) + ">(" + prefix_ + "in)";
      out += "[[maybe_unused]] " + std::string(v.constant && !v.reference ? "const " : "") + "auto& " +
             v.name + " = ";
      out += v.reference ? "*" + part
             : v.array   ? "::thalweg::spar::array<" + v.type + ">(" + part + ")"
                         : part;
      out += "; ";
    }
    return out;
  }

  /// What a stage gives, and does not take: declared anew.
  [[nodiscard]] static std::string fresh(const stage& one, std::size_t k) {
    std::string out;
    for (const variable* v : one.outputs) {
      if (contains(one.before, v) || v->shared || v->owner == static_cast<int>(k)) continue;
      out += "[[maybe_unused]] " + v->declaration + " ";
    }
    return out;
  }

  [[nodiscard]] std::string keep_last(const stream& s, std::size_t k,
                                      const std::vector<variable*>& needed) const {
    std::string out;
    for (const auto& v : s.variables) {
      if (v->last_holder != static_cast<int>(k)) continue;
      out += last(*v) + ".emplace(" + value_of(*v, !contains(needed, v.get())) + "); ";
    }
    return out;
  }

  [[nodiscard]] std::string passed_on(const stream& s, std::size_t k) const {
    const stage& one = s.stages[k];
    if (one.before == one.after) return "std::move(" + prefix_ + "in)";
    std::vector<std::string> values;
    for (const variable* v : one.after) {
      const auto place = std::ranges::find(one.before, v);
      if (place != one.before.end()) {
        values.push_back("std::get<" + std::to_string(place - one.before.begin()) + ">(std::move(" + prefix_ +
                         "in))");
      } else {
        values.push_back(value_of(*v, v->owner != static_cast<int>(k)));
      }
    }
    if (numbered(s))
      values.push_back("std::get<" + std::to_string(one.before.size()) + ">(" + prefix_ + "in)");
    return item(k + 1) + "(" + joined(values, ", ") + ")";
  }

  static std::string quietly(const std::string& declarations) {
    if (declarations.empty()) return "";
    return R"(_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") )" +
           declarations + R"(_Pragma("GCC diagnostic pop") )";
  }

  std::string written(const stream& s, std::size_t k) {
    const stage& one = s.stages[k];
    const bool ends = k + 1 == s.stages.size() && !keeps_last(s);
    const std::string start = at(one.says.where.begin);
    const std::string result = ends               ? "void"
                               : one.leaves_out() ? "std::optional<" + item(k + 1) + ">"
                                                  : item(k + 1);
    std::string out = start;
    const std::string replicas = replicas_of(one, k, out);
    out += "auto " + name(k) + "_body = [&]([[maybe_unused]] " + item(k) + "& " + prefix_ + "in) -> " +
           result + " { " + quietly(locals(one.before) + fresh(one, k));
    std::vector<edit> edits = within(s.nested, one.text);
    for (const extent& c : one.continues) edits.push_back({c, ends ? "return;" : "return std::nullopt;"});
    const std::string body = at(one.text.begin) + spliced(one.text, std::move(edits)) + start;
    out += guarded(s, one.before.size(), body + keep_last(s, k, one.after), one.may_throw);
    // What a stage has not finished goes on, too: no stage behind reaches its number.
    if (!ends) out += "return " + passed_on(s, k) + "; ";
    out += "};";
    out += start + "auto " + name(k) + " = " + pattern(s, k, ends, replicas) + ";";
    return out;
  }

  /// The number of replicas, as a variable that is declared in `out`; empty: the stage is serial.
  std::string replicas_of(const stage& one, std::size_t k, std::string& out) const {
    if (!one.replicated) return "";
    if (const clause* range = one.says.find("Adaptive")) {
      return "::thalweg::adaptive(" + range->arguments[0].text + ", " + range->arguments[1].text + ")";
    }
    const std::string variable = prefix_ + "replicas_" + std::to_string(k + 1);
    out += "const int " + variable + " = ::thalweg::spar::replicas(" + one.replicas + ");" +
           at(one.says.where.begin);
    return variable;
  }

  /// The stage as a pattern of Thalweg.
  [[nodiscard]] std::string pattern(const stream& s, std::size_t k, bool ends,
                                    const std::string& replicas) const {
    const stage& one = s.stages[k];
    const clause* batch = one.says.find("Batch");
    std::string operation = "std::move(" + name(k) + "_body)";
    std::string kind = ends ? "sink" : "map";
    if (batch != nullptr) {
      operation = "::thalweg::spar::each<" + item(k) + ">(" + operation + ")";
    } else if (one.leaves_out() && !ends) {
      operation = "::thalweg::spar::some<" + item(k) + ", " + item(k + 1) + ">(" + operation + ")";
      kind = "flat_map";
    }
    const std::string said = said_of(one, k, replicas, batch != nullptr);
    // A farm of a function is one of a map, and shorter.
    if (one.replicated && kind != "map") operation = "::thalweg::" + kind + "(" + operation + ")";
    std::string out = "::thalweg::" + (one.replicated ? "farm" : kind) + "(" + operation + ", " + said + ")";
    if (batch != nullptr) {
      std::string limits = "{.items = " + batch->arguments[0].text;
      if (batch->arguments.size() > 1)
        limits += ", .interval = std::chrono::milliseconds(" + batch->arguments[1].text + ")";
      out = "::thalweg::batch({" + limits.substr(1) + "}) | " + out + (ends ? "" : " | ::thalweg::unbatch()");
    }
    return out;
  }

  [[nodiscard]] std::string said_of(const stage& one, std::size_t k, const std::string& replicas,
                                    bool batched) const {
    std::vector<std::string> said;
    if (!replicas.empty()) said.push_back(".replicas = " + replicas);
    if (one.says.find("Unordered") != nullptr) said.push_back(".unordered = true");
    if (told_.on_demand && one.replicated && one.says.find("Adaptive") == nullptr) {
      said.push_back(".capacity = ::thalweg::spar::bound(" + std::to_string(*told_.on_demand) + ", " +
                     replicas + ")");
    }
    said.push_back(".name = \"stage_" + std::to_string(k + 1) + "\"");
    if (const clause* key = one.says.find("KeyBy")) {
      const std::string taken = batched ? "std::vector<" + item(k) + ">" : item(k);
      said.push_back(".schedule = ::thalweg::route<" + taken + ">([&]([[maybe_unused]] const " + taken +
                     "& " + prefix_ + (batched ? "all" : "in") + ", std::size_t) -> std::size_t { " +
                     (batched ? "const auto& " + prefix_ + "in = " + prefix_ + "all.front(); " : "") +
                     quietly(locals(one.before)) + "return ::thalweg::spar::hash(" + key->arguments[0].text +
                     "); })");
    }
    if (told_.blocking || one.says.find("Blocking") != nullptr) said.push_back(".blocking = true");
    return "{" + joined(said, ", ") + "}";
  }

  /// Whether the stream spreads over processes: one inside a stage runs on the rank of that stage.
  [[nodiscard]] bool across() const { return told_.mpi() && depth_ == 1; }

  [[nodiscard]] std::string policy(const stream& s) const {
    if (!across()) return "::thalweg::spar::policy(\"" + (told_.mpi() ? "pool" : told_.policy) + "\")";
    std::vector<std::string> placed;
    for (std::size_t k = 0; k < s.stages.size(); ++k) {
      if (const clause* on = s.stages[k].says.find("On")) {
        placed.push_back(
            "::thalweg::spar::place(\"stage_" + std::to_string(k + 1) + "\", " + on->arguments[0].text +
            (s.stages[k].replicas_known() ? ", " + prefix_ + "replicas_" + std::to_string(k + 1) : "") + ")");
      }
    }
    return "::thalweg::spar::on_ranks(\"" + told_.policy + "\", {" + joined(placed, ", ") + "})";
  }

  const places& where_;
  const options& told_;
  std::string file_;
  std::string prefix_;
  int depth_ = 0;  // streams around the one that is being written
  int count_ = 0;
};

}  // namespace

std::string write(const std::vector<stream>& streams, const places& where, const options& told) {
  return writer(where, told).program(streams);
}

}  // namespace thalweg::spar
