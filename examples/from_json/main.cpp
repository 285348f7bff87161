// A graph from a text: what there is to do stands in JSON, not in the program.
//
// The program knows kinds of stages, by name; the text says which stages there are, what they are called,
// what they are made with, and how they are connected. So a stage that is used this way gets all it needs in
// its constructor, and the graph connects ports by name: what fits is seen when the text is read. A wrong
// text is no surprise in the middle of a run: all that is wrong with it is said before anything runs.
//
//     from_json graph.json
//
// Without a file it shows what is said of texts that are wrong.
#include <thalweg/thalweg.hpp>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tw = thalweg;
using nlohmann::json;

struct words : tw::stage {
  tw::out<std::string> out{this, "out"};
  explicit words(const json& with) : text(with.at("text").get<std::string>()) {}
  void on_run() override {
    std::istringstream in(text);
    for (std::string w; in >> w;) out.send(w);
    end();
  }
  std::string text;
};

struct by_length : tw::stage {
  tw::in<std::string> in{this, "in"};
  tw::out<std::string> longer{this, "longer"}, others{this, "others", tw::optional_port};
  explicit by_length(const json& with) : limit(with.at("limit").get<std::size_t>()) {}
  void on_item(tw::in<std::string>&, std::string s) {
    (s.size() > limit ? longer : others).send(std::move(s));
  }
  std::size_t limit;
};

struct length : tw::stage {
  tw::in<std::string> in{this, "in"};
  tw::out<int> out{this, "out"};
  explicit length(const json&) {}
  void on_item(tw::in<std::string>&, std::string s) { out.send(static_cast<int>(s.size())); }
};

template <class T> struct print : tw::stage {
  tw::in<T> in{this, "in"};
  explicit print(const json&) {}
  void on_item(tw::in<T>&, T x) { all << x << ' '; }
  void on_end() override { std::cout << name() << ": " << all.str() << '\n'; }
  std::ostringstream all;
};

/// Makes the stages of each kind, from what the text says they are made with.
using factory = std::function<std::unique_ptr<tw::stage>(const json& with)>;

template <class S> factory made() {
  return [](const json& with) { return std::make_unique<S>(with); };
}

const std::map<std::string, factory> kinds{
    {"words", made<words>()},
    {"by_length", made<by_length>()},
    {"length", made<length>()},
    {"print_text", made<print<std::string>>()},
    {"print_number", made<print<int>>()},
};

tw::graph graph_from(const std::string& text) {
  const json wanted = json::parse(text);
  tw::graph g;
  for (const auto& s : wanted.at("stages")) {
    const auto name = s.at("name").get<std::string>();
    const auto kind = kinds.find(s.at("kind").get<std::string>());
    if (kind == kinds.end()) {
      std::string there_are;
      for (const auto& [k, make] : kinds) there_are += ' ' + k;
      throw std::invalid_argument("'" + name + "': there is no kind '" + s.at("kind").get<std::string>() +
                                  "', but:" + there_are);
    }
    g.configure(g.add(kind->second(s.value("with", json::object()))), {.name = name});
  }
  for (const auto& c : wanted.at("connections"))
    g.connect(c.at(0).get<std::string>(), c.at(1).get<std::string>());
  return g;
}

/// Runs the graph. Returns what is wrong with it, or an empty text.
std::string run(const std::string& text) {
  try {
    auto g = graph_from(text);
    tw::run(g);
    return {};
  } catch (const std::exception& e) {  // of the text itself, of a kind, or all that is wrong with the graph
    return e.what();
  }
}

/// What stands in a file.
std::string content_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` with `was` replaced.
std::string changed(std::string text, std::string_view was, std::string_view is) {
  return text.replace(text.find(was), was.size(), is);
}

/// Returns whether of each text that is wrong it is said what.
bool wrong_texts_are_refused(const std::string& good) {
  const auto unknown_kind = run(changed(good, "\"length\"", "\"lenght\""));
  const auto unknown_port = run(changed(good, "choose.longer", "choose.long"));
  const auto wrong_type = run(changed(good, "measure.in", "lengths.in"));
  std::cout << '\n' << unknown_kind << "\n\n" << unknown_port << "\n\n" << wrong_type << '\n';

  const auto says = [](const std::string& problem, std::string_view what) {
    return problem.find(what) != std::string::npos;
  };
  return says(unknown_kind, "lenght") && says(unknown_port, "longer, others") && says(wrong_type, "int");
}

int main(int argc, char** argv) {
  try {
    const auto text = content_of(argc > 1 ? argv[1] : EXAMPLE_GRAPH);
    const auto problem = run(text);
    if (!problem.empty()) throw std::runtime_error(problem);
    return argc > 1 || wrong_texts_are_refused(text) ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
