#include "attributes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "clang.hpp"

namespace thalweg::spar {
namespace {

using clang::tok::TokenKind;

struct token {
  TokenKind kind;
  extent where;
  bool directive;  ///< in a line of the preprocessor
};

clang::LangOptions language() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = options.CPlusPlus20 =
      true;
  options.LineComment = options.Digraphs = true;
  return options;
}

// What is in comments and in literals, also raw ones, is none of it.
std::vector<token> tokens_of(const std::string& text) {
  const clang::LangOptions options = language();
  clang::Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
  std::vector<token> tokens;
  bool directive = false;
  for (clang::Token t;;) {
    lexer.LexFromRawLexer(t);
    if (t.is(clang::tok::eof)) return tokens;
    if (t.isAtStartOfLine()) directive = t.is(clang::tok::hash);
    const auto end = static_cast<std::size_t>(lexer.getBufferLocation() - text.data());
    tokens.push_back({t.getKind(), {end - t.getLength(), end}, directive});
  }
}

bool is_literal(TokenKind kind) {
  return clang::tok::isLiteral(kind);
}

bool opens(TokenKind kind) {
  return kind == clang::tok::l_paren || kind == clang::tok::l_square || kind == clang::tok::l_brace;
}
bool closes(TokenKind kind) {
  return kind == clang::tok::r_paren || kind == clang::tok::r_square || kind == clang::tok::r_brace;
}

constexpr std::array spar_names{"ToStream", "Stage", "Input", "Output", "Replicate"};
constexpr std::array our_names{"Unordered", "Batch", "KeyBy", "Adaptive", "On", "Blocking"};

/// Reads the attributes of one text.
class reader {
 public:
  explicit reader(const std::string& text) : text_(text), tokens_(tokens_of(text)) {}

  marked_text read() {
    marked_text result{text_, {}, {}};
    for (std::size_t i = 0; i < tokens_.size();) {
      const std::optional<list> first = list_at(i);
      if (!first) {
        ++i;
        continue;
      }
      i = first->end;
      if (!first->spar) continue;
      attribute a;
      a.where = first->where;
      std::vector<list> lists{*first};
      // [[spar::Stage]] [[spar::Input(x)]] is one.
      while (const std::optional<list> next = list_at(i)) {
        if (!next->spar) break;
        lists.push_back(*next);
        i = next->end;
      }
      a.where.end = lists.back().where.end;
      a.marker = a.where.begin + 2;
      for (const list& l : lists) {
        a.clauses.insert(a.clauses.end(), l.clauses.begin(), l.clauses.end());
        if (!l.directive) blank(result.text, l.where);
      }
      if (first->directive) {
        problems_.push_back({a.where, "an attribute of SPar in a line of the preprocessor is not translated",
                             "write it out where the macro is used"});
        continue;
      }
      result.text.replace(a.where.begin, marker.size(), marker);
      if (check(a)) result.attributes.push_back(std::move(a));
    }
    result.problems = std::move(problems_);
    return result;
  }

  [[nodiscard]] std::optional<extent> first() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (const auto l = list_at(i); l && l->spar) return l->where;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::string_view marker = "[[likely]]";

  /// One `[[ ... ]]`, whose last token is before `end`.
  struct list {
    extent where;
    std::size_t end;
    bool spar = false, directive = false;
    std::vector<clause> clauses;
  };

  [[nodiscard]] bool is(std::size_t i, TokenKind kind) const {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  [[nodiscard]] std::string text_of(extent e) const { return text_.substr(e.begin, e.end - e.begin); }
  /// Without the line ends that a backslash hides.
  [[nodiscard]] std::string text_of(std::size_t i) const {
    std::string text = text_of(tokens_[i].where);
    for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos;) {
      const std::size_t end = text.find_first_not_of("\r\n", at + 1);
      if (end == at + 1) {
        ++at;
      } else {
        text.erase(at, end - at);
      }
    }
    return text;
  }
  [[nodiscard]] bool is_name(std::size_t i) const { return is(i, clang::tok::raw_identifier); }

  /// Behind the token that closes the one at i.
  [[nodiscard]] std::size_t behind_pair(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      if (opens(tokens_[i].kind)) ++depth;
      if (closes(tokens_[i].kind) && --depth == 0) return i + 1;
    }
    return i;
  }

  [[nodiscard]] std::optional<list> list_at(std::size_t i) const {
    if (!is(i, clang::tok::l_square) || !is(i + 1, clang::tok::l_square)) return std::nullopt;
    const std::size_t end = behind_pair(i);
    if (!is(end - 1, clang::tok::r_square) || !is(end - 2, clang::tok::r_square)) return std::nullopt;
    list l{{tokens_[i].where.begin, tokens_[end - 1].where.end}, end, false, tokens_[i].directive, {}};
    std::size_t at = i + 2;
    const std::size_t last = end - 2;
    std::string used;
    if (is_name(at) && text_of(at) == "using" && is_name(at + 1) && is(at + 2, clang::tok::colon)) {
      used = text_of(at + 1);
      at += 3;
    }
    while (at < last) {
      std::size_t next = at;
      while (next < last && !is(next, clang::tok::comma))
        next = opens(tokens_[next].kind) ? behind_pair(next) : next + 1;
      if (next > at) read_clause(l, used, at, std::min(next, last));
      at = next + 1;
    }
    return l;
  }

  void read_clause(list& l, const std::string& used, std::size_t at, std::size_t end) const {
    std::string space = used;
    clause c;
    c.where = {tokens_[at].where.begin, tokens_[end - 1].where.end};
    if (is_name(at) && is(at + 1, clang::tok::coloncolon)) {
      space = text_of(at);
      at += 2;
    }
    if (space != "spar" && space != "thalweg") return;
    l.spar = true;
    c.ours = space == "thalweg";
    if (at < end) c.name = text_of(at);
    if (++at < end && is(at, clang::tok::l_paren)) {
      c.parentheses = true;
      const std::size_t last = end - 1;
      for (++at; at < last;) {
        std::size_t next = at;
        while (next < last && !is(next, clang::tok::comma)) {
          next = opens(tokens_[next].kind) ? behind_pair(next) : next + 1;
        }
        c.arguments.push_back(argument_of(at, std::min(next, last)));
        at = next + 1;
        if (at == last) c.arguments.push_back(argument_of(last, last));  // behind the last comma
      }
    }
    l.clauses.push_back(std::move(c));
  }

  [[nodiscard]] argument argument_of(std::size_t begin, std::size_t end) const {
    if (begin == end) return {"", tokens_[begin].where};
    argument a{"", {tokens_[begin].where.begin, tokens_[end - 1].where.end}, {}};
    a.text = text_of(a.where);
    for (std::size_t i = begin; i < end; ++i) {
      const bool member = i > begin && (is(i - 1, clang::tok::period) || is(i - 1, clang::tok::arrow) ||
                                        is(i - 1, clang::tok::coloncolon));
      if (is_name(i) && !member && !is(i + 1, clang::tok::coloncolon)) a.names.push_back(text_of(i));
    }
    return a;
  }

  // Line ends stay, so that all lines do.
  static void blank(std::string& text, extent where) {
    for (std::size_t i = where.begin; i < where.end; ++i) {
      if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
    }
  }

  void wrong(extent where, std::string text, std::string advice) {
    problems_.push_back({where, std::move(text), std::move(advice)});
  }

  /// Sets what the attribute is; false: it cannot be used.
  bool check(attribute& a) {
    const std::size_t before = problems_.size();
    const clause* to_stream = a.find("ToStream");
    const clause* stage = a.find("Stage");
    if (to_stream != nullptr && stage != nullptr) {
      wrong(stage->where, "a statement is either a stream or a stage",
            "put spar::Stage on a statement inside the stream");
    } else if (to_stream == nullptr && stage == nullptr) {
      wrong(a.where, "these clauses belong to no stream and no stage",
            "begin with spar::ToStream or spar::Stage");
    }
    a.is = to_stream != nullptr ? attribute::kind::to_stream : attribute::kind::stage;
    for (const clause& c : a.clauses) {
      if (known(c)) check(a, c);
    }
    for (const clause& c : a.clauses) {
      const bool lists = c.name == "Input" || c.name == "Output";
      if (!lists && a.find(c.name) != &c) {
        wrong(c.where, "'" + c.name + "' is said twice of the same statement", "leave one of them out");
      }
    }
    return problems_.size() == before;
  }

  bool known(const clause& c) {
    const auto has = [&](const auto& names) { return std::ranges::find(names, c.name) != names.end(); };
    if (c.ours ? has(our_names) : has(spar_names)) return true;
    std::string nearest;
    unsigned least = c.name.empty() ? 0 : 3;
    const auto look = [&](const auto& names, const std::string& space) {
      for (const char* name : names) {
        const unsigned distance = c.name == name ? 0 : llvm::StringRef(c.name).edit_distance(name);
        if (distance < least) {
          least = distance;
          nearest = space + name;
        }
      }
    };
    look(spar_names, "spar::");
    look(our_names, "thalweg::");
    const std::string full = (c.ours ? "thalweg::" : "spar::") + c.name;
    std::string advice =
        "SPar has ToStream, Stage, Input, Output and Replicate; Thalweg adds Unordered, Batch, KeyBy, "
        "Adaptive, On and Blocking";
    if (c.name == "Pure" && !c.ours) {
      advice =
          "data parallelism inside a stage is not translated; spar::Replicate runs whole items at the same "
          "time";
    } else if (!nearest.empty()) {
      advice = "did you mean '" + nearest + "'?";
    }
    wrong(c.where, "unknown clause '" + full + "'", advice);
    return false;
  }

  void check(const attribute& a, const clause& c) {
    const bool on_stage = a.is == attribute::kind::stage;
    const std::size_t n = c.arguments.size();
    if (c.name == "ToStream" || c.name == "Stage" || c.name == "Unordered" || c.name == "Blocking") {
      if (n != 0) wrong(c.where, "'" + c.name + "' takes no arguments", "remove the parentheses");
    } else if (c.name == "Input" || c.name == "Output") {
      if (n == 0) {
        wrong(c.where, "'" + c.name + "' needs at least one variable",
              "name what the stage takes, as in spar::" + c.name + "(a, b), or leave the clause out");
      }
      for (const argument& x : c.arguments) check_variable(c, x);
    } else if (c.name == "Replicate") {
      if (n > 1) wrong(c.where, "'Replicate' takes one number", "write one expression, or nothing");
    } else if (c.name == "Batch" || c.name == "Adaptive") {
      const std::size_t least = c.name == "Batch" ? 1 : 2;
      if (n < least || n > 2) {
        wrong(c.where,
              "'" + c.name +
                  (c.name == "Batch" ? "' takes a number of items, and a time in milliseconds"
                                     : "' takes the fewest and the most replicas"),
              c.name == "Batch" ? "as in thalweg::Batch(64, 10)" : "as in thalweg::Adaptive(1, 8)");
      }
    } else if (n != 1) {  // KeyBy, On
      wrong(
          c.where, "'" + c.name + "' takes one argument",
          c.name == "On" ? "as in thalweg::On(1) or thalweg::On(\"host\")" : "as in thalweg::KeyBy(user.id)");
    }
    if (!on_stage && c.name != "ToStream" && c.name != "Input" && c.name != "Output" && c.name != "Stage") {
      wrong(c.where, "'" + c.name + "' belongs to a stage, not to a stream", "put it beside spar::Stage");
    }
    if (c.name == "Adaptive" && a.find("Replicate") != nullptr) {
      wrong(c.where, "'Adaptive' and 'Replicate' both say how many replicas the stage has",
            "leave one of them out");
    }
    for (const char* name : {"Unordered", "KeyBy"}) {
      if (c.name == name && a.find("Replicate") == nullptr && a.find("Adaptive") == nullptr) {
        wrong(c.where, "'" + c.name + "' is of use in a replicated stage only",
              "add spar::Replicate, or leave the clause out");
      }
    }
  }

  void check_variable(const clause& c, const argument& x) {
    const std::string what = c.name + "(" + x.text + ")";
    if (x.text.empty()) {
      wrong(x.where, "'" + c.name + "' has an empty argument", "name a variable between the commas");
    } else if (std::ranges::any_of(tokens_, [&](const token& t) {
                 return t.where.begin == x.where.begin && is_literal(t.kind);
               })) {
      wrong(x.where, "'" + what + "': a literal is no variable", "literals need no clause: leave it out");
    } else if (x.names.empty()) {
      wrong(x.where, "'" + what + "' names no variable",
            "name a variable that is declared before this statement");
    } else if (x.names.front() == "this") {
      wrong(x.where, "'" + what + "': members are shared, and need no clause",
            "name the member alone to give each item a copy of it");
    }
  }

  const std::string& text_;
  std::vector<token> tokens_;
  std::vector<problem> problems_;
};

}  // namespace

marked_text mark_attributes(const std::string& text) {
  return reader(text).read();
}

std::optional<extent> first_attribute(const std::string& text) {
  return reader(text).first();
}

}  // namespace thalweg::spar
