#include <thalweg/model/drawing.hpp>
#include <thalweg/model/plan.hpp>
#include <thalweg/observe/json.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::model {

namespace {

std::string dot_text(std::string_view text) {
  std::string out;
  for (const char c : observe::printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string drawing::to_dot() const {
  std::string out =
      "digraph job {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
  std::string lines;
  std::size_t base = 0;
  std::vector<std::size_t> first;
  const auto draw = [&](std::size_t from, std::size_t to, const std::type_info* type,
                        const std::string& more) {
    lines += "  s" + std::to_string(from) + " -> s" + std::to_string(to);
    if (type != nullptr) lines += " [label=\"" + dot_text(type_name(*type)) + more + "\"]";
    lines += ";\n";
  };
  // The boxes around a part, the outermost first, and those that are open.
  const auto around = [&](std::size_t box) {
    std::vector<std::size_t> all;
    for (; box != no_box; box = boxes[box].in) all.insert(all.begin(), box);
    return all;
  };
  std::vector<std::size_t> open;
  const auto go_into = [&](const std::vector<std::size_t>& wanted) {
    const auto same = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), wanted.begin(), wanted.end()).first - open.begin());
    for (; open.size() > same; open.pop_back()) out += "  }\n";
    for (; open.size() < wanted.size(); open.push_back(wanted[open.size()])) {
      out += "  subgraph cluster_box_" + std::to_string(wanted[open.size()]) +
             " {\n    style=solid;\n    label=\"" + dot_text(boxes[wanted[open.size()]].name) + "\";\n";
    }
  };
  for (const auto& p : parts) {
    go_into(around(p.box));
    first.push_back(base);
    int farm = -1;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      const auto& s = p.stages[i];
      if (farm >= 0 && s.farm != farm) out += "  }\n";
      if (s.farm >= 0 && s.farm != farm) {
        out += "  subgraph cluster_" + std::to_string(base + static_cast<std::size_t>(s.farm)) +
               " {\n    style=dashed;\n    label=\"farm" +
               (s.replicas == automatic ? std::string() : " x " + std::to_string(s.replicas)) +
               (s.unordered ? " unordered" : "") + "\";\n";
      }
      farm = s.farm;
      out +=
          "  s" + std::to_string(base + i) + " [label=\"" + dot_text(s.name) + "\\n" + s.pattern + "\"];\n";
      if (i > 0) draw(base + i - 1, base + i, p.stages[i - 1].out, "");
    }
    const auto open_port = [&](const char* kind, std::size_t number, bool outwards) {
      const auto id = "s" + std::to_string(base) + kind + std::to_string(number);
      const auto stage = "s" + std::to_string(base);
      out += "  " + id + " [shape=plaintext, label=" + kind + "];\n";
      lines += "  " + (outwards ? stage : id) + " -> " + (outwards ? id : stage) + " [style=dashed];\n";
    };
    for (std::size_t i = 0; i < p.taps; ++i) open_port("tap", i, true);
    for (std::size_t i = 0; i < p.feeds; ++i) open_port("feed", i, false);
    if (farm >= 0) out += "  }\n";
    base += p.stages.size();
  }
  go_into({});
  for (const auto& c : connections) {
    const auto& from = parts[c.from];
    const auto last = first[c.from] + from.stages.size() - 1;
    if (from.outputs.empty()) {
      draw(last, first[c.to], from.stages.back().out, "");
    } else {
      const auto& port = from.outputs[c.from_port];
      draw(last, first[c.to], port.type, "\\n" + dot_text(port.name));
    }
  }
  return out + lines + "}\n";
}

std::string drawing::to_json() const {
  std::string text;
  observe::json_writer w(text);
  w.begin_object();
  w.key("stages");
  w.begin_array();
  std::size_t base = 0;
  for (const auto& p : parts) {
    for (const auto& s : p.stages) {
      w.begin_object();
      w.member("name", s.name);
      w.member("pattern", s.pattern);
      if (p.box != no_box) w.member("composite", boxes[p.box].path);
      if (s.in != nullptr) w.member("in", type_name(*s.in));
      if (s.out != nullptr) w.member("out", type_name(*s.out));
      if (s.farm >= 0) {
        w.member("farm", static_cast<std::int64_t>(base) + s.farm);
        if (s.replicas != automatic) w.member("replicas", static_cast<std::int64_t>(s.replicas));
        w.member("ordered", !s.unordered);
      }
      if (s.opts.capacity != automatic) w.member("capacity", s.opts.capacity);
      if (s.opts.blocking) w.member("blocking", true);
      if (!s.opts.spin) w.member("spin", false);
      if (p.taps > 0) w.member("taps", static_cast<std::int64_t>(p.taps));
      if (p.feeds > 0) w.member("feeds", static_cast<std::int64_t>(p.feeds));
      w.end_object();
    }
    base += p.stages.size();
  }
  w.end_array();
  w.key("connections");
  w.begin_array();
  base = 0;
  const auto connection = [&](std::size_t from, std::size_t to, const std::string& out,
                              const std::string& in) {
    w.begin_object();
    w.member("from", static_cast<std::int64_t>(from));
    w.member("to", static_cast<std::int64_t>(to));
    if (!out.empty()) w.member("output", out);
    if (!in.empty()) w.member("input", in);
    w.end_object();
  };
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  for (const auto& p : parts) {
    first.push_back(base);
    for (std::size_t i = 1; i < p.stages.size(); ++i) connection(base + i - 1, base + i, "", "");
    base += p.stages.size();
    last.push_back(base - 1);
  }
  for (const auto& c : connections) {
    const auto& from = parts[c.from];
    const auto& to = parts[c.to];
    connection(last[c.from], first[c.to], from.outputs.empty() ? "" : from.outputs[c.from_port].name,
               to.inputs.empty() ? "" : to.inputs[c.to_port]);
  }
  w.end_array();
  w.end_object();
  return text;
}

}  // namespace THALWEG_NAMESPACE::model
