#include <thalweg/model/composite_stage.hpp>
#include <thalweg/model/gate.hpp>
#include <thalweg/model/graph.hpp>
#include <thalweg/model/ported.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <map>
#include <optional>

namespace THALWEG_NAMESPACE {

namespace {

constexpr auto none = std::numeric_limits<std::size_t>::max();

// Something of an options object that a composite stage, which is only a name, can do nothing with.
bool more_than_a_name(const options& o) {
  return o.replicas != automatic || o.unordered || o.capacity != automatic || !o.on_error.plain() ||
         !o.pin.empty() || o.schedule.how() != schedule::kind::on_demand || o.blocking || !o.spin ||
         o.on != placement::anywhere;
}

}  // namespace

struct graph::state {
  // One thing that was added: a stage, or a line.
  struct element {
    std::shared_ptr<model::graph_place> place = std::make_shared<model::graph_place>();
    stage* s = nullptr;
    std::unique_ptr<stage> owned;
    std::string pattern;
    options opts;
    blueprint again;
    std::vector<std::unique_ptr<model::component>> fresh;  // the first run's
    std::vector<std::vector<model::stage_info>> infos;     // of its stages, by component
    std::size_t box = none;                                // the composite stage that it is a child of
    std::vector<std::vector<std::string>> names;           // in there, in the same order
    const std::type_info* in = nullptr;
    const std::type_info* out = nullptr;
    bool in_used = false, out_used = false;

    [[nodiscard]] std::string name() const { return s != nullptr ? s->name() : infos.front().front().name; }
    // Of a stage with ports.
    [[nodiscard]] model::stage_info info() const {
      model::stage_info i;
      i.name = s->name();
      i.pattern = pattern;
      i.opts = opts;
      const auto& ins = s->inputs();
      i.copyable = std::all_of(ins.begin(), ins.end(), [](const auto* p) { return p->copyable(); });
      if (!ins.empty()) {
        i.in = &ins.front()->type();
        if (std::all_of(ins.begin(), ins.end(),
                        [&](const auto* p) { return p->pushed() && p->type() == *i.in; }))
          i.gives_up = i.in;
      }
      if (!s->outputs().empty()) i.out = &s->outputs().front()->type();
      return i;
    }
  };

  // A composite stage, of which only a name is left. Those in which it lies come before it.
  struct box {
    std::unique_ptr<composite_stage> composite;
    std::string name;                        // in its place
    std::size_t in = none;                   // the one that it is a child of
    std::vector<std::string> problems = {};  // of its children, found while they were made and connected
  };

  std::vector<std::unique_ptr<stage>> spare;  // that have been given to it and are not in it
  std::vector<box> boxes;
  std::deque<element> elements;
  std::vector<model::edge> edges;  // between elements
  model::naming names;
  std::vector<std::string> problems;
  std::shared_ptr<model::graph_run> run = std::make_shared<model::graph_run>();

  state() = default;
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  // The run executes the stages that go with this.
  ~state() {
    run->end();
    for (const auto& x : elements) x.place->graph = nullptr;
  }

  element& add() {
    auto& x = elements.emplace_back();
    x.place->graph = this;
    x.place->node = elements.size() - 1;
    return x;
  }

  [[nodiscard]] const std::type_info* output_type(std::size_t e, std::size_t port) const {
    const auto& x = elements[e];
    return x.s != nullptr ? &x.s->outputs()[port]->type() : x.out;
  }
  [[nodiscard]] const std::type_info* input_type(std::size_t e, std::size_t port) const {
    const auto& x = elements[e];
    return x.s != nullptr ? &x.s->inputs()[port]->type() : x.in;
  }
  [[nodiscard]] std::string output_name(std::size_t e, std::size_t port) const {
    const auto& x = elements[e];
    return known_as(e, port, false, x.name() + "." + (x.s != nullptr ? x.s->outputs()[port]->name() : "out"));
  }
  [[nodiscard]] std::string input_name(std::size_t e, std::size_t port) const {
    const auto& x = elements[e];
    return known_as(e, port, true, x.name() + "." + (x.s != nullptr ? x.s->inputs()[port]->name() : "in"));
  }
  // A port that is exported is known by the name that the outermost composite stage gives it.
  [[nodiscard]] std::string known_as(std::size_t e, std::size_t port, bool input,
                                     const std::string& inside) const {
    for (const auto& b : boxes) {
      for (const auto* p : b.composite->exported()) {
        if (p->input_ == input && p->place_ && p->place_->node == e && p->port_ == port)
          return "'" + b.composite->name() + "." + p->name() + "' (which is '" + inside + "')";
      }
    }
    return "'" + inside + "'";
  }

  void check_name(const std::string& name) {
    if (name.find('/') != std::string::npos)
      problems.push_back("'" + name + "': a name may not contain '/', which separates scopes");
  }

  // Gives what lies in a composite stage the names that it has because of that.
  void rename(std::size_t from_element, std::size_t from_box);
  void rename(element& x);
};

void graph::state::rename(element& x) {
  const auto prefix = x.box == none ? std::string() : boxes[x.box].composite->name() + "/";
  if (x.s != nullptr) {
    x.s->name_ = prefix + x.names.front().front();
    x.s->log_.rename(x.s->name_);
  } else {
    for (std::size_t c = 0; c < x.infos.size(); ++c) {
      for (std::size_t i = 0; i < x.infos[c].size(); ++i) x.infos[c][i].name = prefix + x.names[c][i];
      if (c < x.fresh.size()) x.fresh[c]->take_names(x.infos[c]);
    }
  }
  x.place->name = x.name();
}

void graph::state::rename(std::size_t from_element, std::size_t from_box) {
  for (auto b = from_box; b < boxes.size(); ++b) {
    const auto& in = boxes[b].in;
    boxes[b].composite->name_ =
        (in == none ? std::string() : boxes[in].composite->name() + "/") + boxes[b].name;
  }
  for (auto e = from_element; e < elements.size(); ++e) rename(elements[e]);
}

graph::graph() : state_(std::make_unique<state>()) {}
graph::graph(graph&&) noexcept = default;
graph& graph::operator=(graph&&) noexcept = default;
graph::~graph() = default;

void graph::note_uncalled(const stage& s) {
  here().problems.push_back(
      "stage '" + s.name() +
      "': its on_item is never called: its inputs are members of a base class, which does "
      "not know on_item. Declare the inputs where on_item is, or make it a virtual function "
      "that the base class declares");
}

graph::state& graph::here() const {
  if (!state_) throw error("graph: it has been moved from, so it is empty and nothing can be added");
  return *state_;
}

graph::state& graph::at_rest(const char* what) const {
  auto& g = here();
  if (g.run->goes_on())
    throw error(
        std::string("graph: ") + what +
        " while it runs: wait() for the end of the run first. During a run you can open and close a tap() of "
        "a tw::split or tw::tee and a feed() of a tw::merge, for threads outside and other runs");
  return g;
}

void graph::own(std::unique_ptr<stage> s, std::string pattern) {
  auto& made = *s;
  keep(made, std::move(s), std::move(pattern));
}

stage& graph::add(std::unique_ptr<stage> s) {
  if (!s) throw error("graph: there is no stage to add: the pointer is null");
  auto& made = *s;
  own(std::move(s), model::short_name(typeid(made)));
  return made;
}

void graph::use(stage& s) {
  keep(s, nullptr, model::short_name(typeid(s)));
}

void graph::keep(stage& s, std::unique_ptr<stage> owned, std::string pattern) {
  auto& g = at_rest("nothing can be added");
  if (const auto before = s.place_.lock(); before && before->graph != nullptr) {
    const bool here = before->graph == &g;
    g.problems.push_back("stage '" + s.name() + "' is added twice: it is in " +
                         (here ? "this graph" : "another graph") + " already");
    if (!owned) return;
    auto& kept = here ? g.elements[before->node].owned : g.spare.emplace_back();
    if (kept) {
      (void)owned.release();  // it has an owner
    } else {
      kept = std::move(owned);
    }
    return;
  }
  auto& x = g.add();
  s.place_ = x.place;
  x.s = &s;
  x.owned = std::move(owned);
  x.pattern = std::move(pattern);
  s.id_ = x.place->node;
  x.names = {{g.names.stage({}, x.pattern)}};
  g.rename(x);
}

// Its children become those of this graph: it is only a name.
void graph::adopt(std::unique_ptr<composite_stage> c, std::string pattern) {
  auto& g = at_rest("nothing can be added");
  const auto inside = std::move(c->children_.state_);
  c->added_ = true;
  const auto first_box = g.boxes.size();
  const auto first = g.elements.size();
  g.boxes.push_back({std::move(c), g.names.stage({}, pattern)});
  auto& problems = g.boxes.back().problems;
  problems = inside->names.problems();
  problems.insert(problems.end(), inside->problems.begin(), inside->problems.end());
  for (auto& b : inside->boxes) {
    b.in = b.in == none ? first_box : b.in + first_box + 1;
    g.boxes.push_back(std::move(b));
  }
  for (auto& x : inside->elements) {
    x.place->graph = &g;
    x.place->node += first;
    if (x.s != nullptr) x.s->id_ = x.place->node;
    x.box = x.box == none ? first_box : x.box + first_box + 1;
    g.elements.push_back(std::move(x));
  }
  inside->elements.clear();
  for (auto& e : inside->edges) {
    e.from += first;
    e.to += first;
    g.edges.push_back(std::move(e));
  }
  g.rename(first, first_box);
}

void graph::lead(model::exported_port& p, where to) {
  auto& g = here();
  if (!to.foreign.empty()) {
    g.problems.push_back("port '" + p.name() + "' cannot export '" + to.foreign +
                         "', which is not a child of this composite stage");
  } else {
    p.place_ = g.elements[to.node].place;
    p.port_ = to.port;
  }
}

// For a composite stage whose ports are not connected in this graph.
void graph::leave_open(const model::exported_port& p) {
  if (!p.place_) return;
  auto& x = here().elements[p.place_->node];
  if (x.s == nullptr) {
    (p.is_input() ? x.in_used : x.out_used) = true;
  } else if (p.is_input()) {
    x.s->inputs()[p.port_]->connect(true);
  } else {
    x.s->outputs()[p.port_]->connect(true);
  }
}

std::shared_ptr<const model::graph_place> graph::add_line(blueprint b, const std::type_info* in,
                                                          const std::type_info* out) {
  auto& g = at_rest("nothing can be added");
  auto& x = g.add();
  x.in = in;
  x.out = out;
  x.again = std::move(b);
  x.fresh = x.again(g.names);
  for (const auto& c : x.fresh) x.infos.push_back(c->stages());
  x.pattern = x.fresh.front()->stages().front().pattern;
  for (const auto& stages : x.infos) {
    auto& names = x.names.emplace_back();
    for (const auto& info : stages) names.push_back(info.name);
  }
  x.place->name = x.name();
  return x.place;
}

void graph::set_options(stage& s, options opts) {
  auto& g = at_rest("nothing can be configured");
  if (s.id_ >= g.elements.size() || g.elements[s.id_].s != &s)
    return g.problems.push_back("cannot configure stage '" + s.name() + "': it is not in this graph");
  auto& x = g.elements[s.id_];
  if (!opts.name.empty()) {
    g.check_name(opts.name);
    x.names = {{opts.name}};
    g.rename(x);
  }
  x.opts = std::move(opts);
}

void graph::set_options(composite_stage& c, options opts) {
  auto& g = at_rest("nothing can be configured");
  const auto b =
      std::find_if(g.boxes.begin(), g.boxes.end(), [&](const auto& x) { return x.composite.get() == &c; });
  if (b == g.boxes.end())
    return g.problems.push_back("cannot configure composite stage '" + c.name() +
                                "': it is not in this graph");
  if (more_than_a_name(opts))
    g.problems.push_back("composite stage '" + c.name() +
                         "' is only a name for its children: give these all options except .name");
  if (opts.name.empty()) return;
  g.check_name(opts.name);
  b->name = opts.name;
  g.rename(0, 0);
}

graph::where graph::at(const model::port& p) const {
  const auto& g = here();
  const auto& s = p.owner();
  if (s.id() < g.elements.size() && g.elements[s.id()].s == &s) return {s.id(), p.index()};
  return {0, 0, (s.name().empty() ? model::short_name(typeid(s)) : s.name()) + "." + p.name()};
}

graph::where graph::at(const model::exported_port& p) const {
  const auto& g = here();
  if (p.place_ && p.place_->graph == &g) return {p.place_->node, p.port_};
  // One that stands for nothing is a problem of its own.
  const auto& owner = p.owner();
  return {0, 0, (owner.name().empty() ? model::short_name(typeid(owner)) : owner.name()) + "." + p.name()};
}

graph::where graph::at(const std::shared_ptr<const model::graph_place>& p, const char* port) const {
  if (p && p->graph == &here()) return {p->node, 0};
  return {0, 0, (p ? p->name : std::string("?")) + "." + port};
}

void graph::join(where from, where to, connect_options opts, model::conversion convert) {
  auto& g = at_rest("nothing can be connected");
  if (!from.foreign.empty() || !to.foreign.empty()) {
    const bool both = !from.foreign.empty() && !to.foreign.empty();
    const auto a = from.foreign.empty() ? g.output_name(from.node, from.port) : "'" + from.foreign + "'";
    const auto b = to.foreign.empty() ? g.input_name(to.node, to.port) : "'" + to.foreign + "'";
    return g.problems.push_back("cannot connect " + a + " to " + b + ": " +
                                (both ? "they are" : (from.foreign.empty() ? b : a) + " is") +
                                " not in this graph");
  }
  const auto bad = [&](std::string what) { g.problems.push_back(std::move(what)); };
  const auto sends = [&](const model::edge& e) { return e.from == from.node && e.from_port == from.port; };
  const auto takes = [&](const model::edge& e) { return e.to == to.node && e.to_port == to.port; };
  const auto what =
      "the connection from " + g.output_name(from.node, from.port) + " to " + g.input_name(to.node, to.port);
  if (std::any_of(g.edges.begin(), g.edges.end(), sends)) {
    return bad(g.output_name(from.node, from.port) + " is connected twice: use tw::tee or tw::split");
  }
  if (std::any_of(g.edges.begin(), g.edges.end(), takes)) {
    return bad(g.input_name(to.node, to.port) + " is connected twice: use tw::merge");
  }
  if (opts.capacity != automatic && opts.capacity < 1)
    bad(what + ": .capacity must be at least 1, not " + std::to_string(opts.capacity));
  if (opts.bytes != automatic && opts.bytes < 1)
    bad(what + ": .bytes must be at least 1, not " + std::to_string(opts.bytes));
  if (opts.pipe) {
    // Items are converted before they go in.
    if (*opts.pipe.item != *(convert ? convert.item : g.output_type(from.node, from.port)))
      bad(what + ": its .pipe is for another type of items");
    if (opts.capacity != automatic || opts.bytes != automatic || opts.when_full != when_full::block)
      bad(what + ": a custom .pipe has its own bounds, so .capacity, .bytes and .when_full do nothing");
  }
  g.edges.push_back({from.node, from.port, to.node, to.port, std::move(opts), convert});
  auto& a = g.elements[from.node];
  auto& b = g.elements[to.node];
  a.s != nullptr ? a.s->outputs()[from.port]->connect(true) : void(a.out_used = true);
  b.s != nullptr ? b.s->inputs()[to.port]->connect(true) : void(b.in_used = true);
}

void graph::connect(std::string_view from, std::string_view to, connect_options opts) {
  auto& g = at_rest("nothing can be connected");
  const auto find = [&](std::string_view text, bool input) -> std::optional<where> {
    const auto dot = text.rfind('.');
    const auto name = text.substr(0, dot);
    const auto port = dot == std::string_view::npos ? (input ? "in" : "out") : text.substr(dot + 1);
    const auto refuse = [&](const std::string& why) {
      g.problems.push_back("cannot connect '" + std::string(from) + "' to '" + std::string(to) + "': " + why);
      return std::optional<where>();
    };
    const auto listed = [](const auto& ports) {
      std::string all;
      for (const auto* p : ports) all += (all.empty() ? "" : ", ") + p->name();
      return all.empty() ? std::string("none") : all;
    };
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
      const auto& x = g.elements[i];
      if (x.name() != name) continue;
      const std::string kind = input ? "input" : "output";
      if (x.s == nullptr) {
        if (port == (input ? "in" : "out") && (input ? x.in : x.out) != nullptr) return where{i, 0};
        return refuse("stage '" + std::string(name) + "' has no " + kind + " '" + std::string(port) + "'");
      }
      if (input) {
        if (const auto* p = x.s->find_input(port)) return where{i, p->index()};
        return refuse("stage '" + std::string(name) + "' has no input '" + std::string(port) +
                      "' (it has: " + listed(x.s->inputs()) + ")");
      }
      if (const auto* p = x.s->find_output(port)) return where{i, p->index()};
      return refuse("stage '" + std::string(name) + "' has no output '" + std::string(port) +
                    "' (it has: " + listed(x.s->outputs()) + ")");
    }
    for (const auto& b : g.boxes) {
      if (b.composite->name() != name) continue;
      std::string all;
      for (const auto* p : b.composite->exported()) {
        if (p->is_input() != input) continue;
        if (p->name() == port && p->place_) return where{p->place_->node, p->port_};
        all += (all.empty() ? "" : ", ") + p->name();
      }
      return refuse("composite stage '" + std::string(name) + "' has no " + (input ? "input '" : "output '") +
                    std::string(port) + "' (it has: " + (all.empty() ? "none" : all) + ")");
    }
    std::string names;
    for (const auto& b : g.boxes) names += (names.empty() ? "" : ", ") + b.composite->name();
    for (const auto& x : g.elements) names += (names.empty() ? "" : ", ") + x.name();
    return refuse("there is no stage '" + std::string(name) +
                  "' (there are: " + (names.empty() ? "none" : names) + ")");
  };
  const auto a = find(from, false);
  const auto b = find(to, true);
  if (!a || !b) return;
  const auto* produced = g.output_type(a->node, a->port);
  const auto* accepted = g.input_type(b->node, b->port);
  if (*produced != *accepted) {
    g.problems.push_back("cannot connect '" + std::string(from) + "' to '" + std::string(to) +
                         "': it sends " + model::type_name(*produced) + ", but the input takes " +
                         model::type_name(*accepted));
    return;
  }
  join(*a, *b, std::move(opts), {});
}

std::size_t graph::size() const noexcept {
  return state_ ? state_->elements.size() : 0;
}

graph_node graph::node(std::size_t id) const {
  const auto& x = here().elements.at(id);
  graph_node n;
  n.id = id;
  n.name = x.name();
  n.pattern = x.pattern;
  if (x.box != none) n.composite = here().boxes[x.box].composite->name();
  if (x.s != nullptr) {
    for (const auto* p : x.s->inputs()) n.inputs.push_back({p->name(), &p->type(), p->connected(), false});
    for (const auto* p : x.s->outputs())
      n.outputs.push_back({p->name(), &p->type(), p->connected(), p->optional()});
  } else {
    if (x.in != nullptr) n.inputs.push_back({"in", x.in, x.in_used, false});
    if (x.out != nullptr) n.outputs.push_back({"out", x.out, x.out_used, false});
  }
  return n;
}

std::vector<graph_edge> graph::edges() const {
  std::vector<graph_edge> all;
  all.reserve(here().edges.size());
  for (const auto& e : here().edges) all.push_back({e.from, e.from_port, e.to, e.to_port, &e.opts});
  return all;
}

void graph::walk(graph_visitor& v, direction where, search how, std::vector<std::size_t> from) const {
  const bool down = where == direction::downstream;
  if (from.empty()) {
    std::vector<bool> entered(size(), false);
    for (const auto& e : here().edges) entered[down ? e.to : e.from] = true;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!entered[i]) from.push_back(i);
    }
  }
  struct step {
    std::size_t node;
    std::optional<graph_edge> along;
  };
  std::deque<step> open;
  for (const auto i : from) open.push_back({i, {}});
  if (how == search::depth_first) std::reverse(open.begin(), open.end());
  std::vector<bool> seen(size(), false);
  while (!open.empty()) {
    const auto at = how == search::breadth_first ? open.front() : open.back();
    how == search::breadth_first ? open.pop_front() : open.pop_back();
    if (at.along) v.cross(*at.along);
    if (seen.at(at.node)) continue;
    seen[at.node] = true;
    if (!v.visit(node(at.node))) continue;
    std::vector<step> next;
    for (const auto& e : here().edges) {
      if ((down ? e.from : e.to) != at.node) continue;
      next.push_back({down ? e.to : e.from, graph_edge{e.from, e.from_port, e.to, e.to_port, &e.opts}});
    }
    if (how == search::depth_first) std::reverse(next.begin(), next.end());
    open.insert(open.end(), next.begin(), next.end());
  }
}

model::plan graph::plan() {
  bool line = false;
  auto p = parts(line);
  if (line && p.problems.empty()) p.straighten();
  return p;
}

// All there is, checked. `line`: it may be a line.
model::plan graph::parts(bool& line) {
  auto& g = here();
  if (!g.run->begin()) throw error("this graph is already running: it can have one run at a time");
  model::plan p;
  p.is_line = false;
  p.of_graph = g.run;
  std::vector<std::string> problems = g.problems;
  std::vector<std::size_t> first(size(), 0);
  std::vector<std::size_t> last(size(), 0);
  std::map<std::string, int> used;
  const auto count_name = [&](const std::string& name) {
    if (++used[name] == 2) problems.push_back("'" + name + "': this name is given twice in one scope");
  };
  for (const auto& b : g.boxes) {
    const auto name = "composite stage '" + b.composite->name() + "': ";
    for (const auto& problem : b.problems) problems.push_back(name + problem);
    for (const auto* p : b.composite->exported()) {
      if (!p->place_)
        problems.push_back(name + "port '" + p->name() + "' is not the port of any child: export one with " +
                           (p->is_input() ? "leads_to" : "comes_from"));
    }
    try {
      b.composite->validate();
    } catch (...) {
      problems.push_back(name + model::message_of(std::current_exception()));
    }
  }
  const bool connected_as_meant = problems.empty();
  for (const auto& b : g.boxes) count_name(b.composite->name());
  line = true;
  for (std::size_t i = 0; i < size(); ++i) {
    auto& x = g.elements[i];
    first[i] = p.components.size();
    if (x.s == nullptr) {
      for (const auto& stages : x.infos) {
        for (const auto& info : stages) count_name(info.name);
      }
      auto made = std::move(x.fresh);
      x.fresh.clear();
      if (made.empty()) {
        model::naming unused;
        made = x.again(unused);
        if (made.empty())
          throw error("stage '" + x.name() +
                      "' holds something that can be used only once, so the graph can be run only once");
        for (std::size_t c = 0; c < made.size(); ++c) made[c]->take_names(x.infos[c]);
      }
      for (auto& c : made) {
        if (p.components.size() > first[i])
          p.edges.push_back({p.components.size() - 1, 0, p.components.size(), 0, {}});
        p.components.push_back(std::move(c));
      }
    } else {
      line = false;
      auto info = x.info();
      try {
        x.s->validate();
      } catch (...) {
        info.problems.push_back(model::message_of(std::current_exception()));
      }
      count_name(info.name);
      p.components.push_back(std::make_unique<model::ported>(*x.s, std::move(info)));
    }
    last[i] = p.components.size() - 1;
    // Of a connection that could not be made both ends are open: that has been said.
    if (!connected_as_meant) continue;
    const auto n = node(i);
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      if (!n.inputs[k].connected)
        problems.push_back(g.input_name(i, k) + " is not connected: it would never get items");
    }
    for (std::size_t k = 0; k < n.outputs.size(); ++k) {
      if (!n.outputs[k].connected && !n.outputs[k].optional)
        problems.push_back(g.output_name(i, k) +
                           " is not connected: its items would be lost (if that is meant, "
                           "declare it with tw::optional_port)");
    }
  }
  for (const auto& e : g.edges) {
    const auto& o = e.opts;
    line = line && o.capacity == automatic && o.bytes == automatic && o.when_full == when_full::block &&
           !o.pipe && !e.convert;
    p.edges.push_back({last[e.from], e.from_port, first[e.to], e.to_port, e.opts, e.convert});
  }
  if (size() == 0) problems.emplace_back("the graph is empty");
  p.check(g.names);
  p.problems.insert(p.problems.begin(), problems.begin(), problems.end());
  return p;
}

std::pair<std::size_t, std::size_t> graph::components_of(std::size_t node) const {
  const auto& all = here().elements;
  const auto count = [](const state::element& x) { return x.s != nullptr ? 1 : x.infos.size(); };
  std::size_t first = 0;
  for (std::size_t i = 0; i < node; ++i) first += count(all[i]);
  return {first, first + count(all[node]) - 1};
}

model::drawing graph::drawn() const {
  model::drawing d;
  for (const auto& b : here().boxes) d.boxes.push_back({b.name, b.composite->name(), b.in});
  std::vector<std::size_t> first;
  std::vector<std::size_t> last;
  for (const auto& x : here().elements) {
    first.push_back(d.parts.size());
    for (const auto& stages : x.infos) {
      if (d.parts.size() > first.back()) d.connections.push_back({d.parts.size() - 1, 0, d.parts.size(), 0});
      d.parts.emplace_back().stages = stages;
    }
    if (x.s != nullptr) {
      auto& p = d.parts.emplace_back();
      p.stages.push_back(x.info());
      for (const auto* port : x.s->inputs()) p.inputs.push_back(port->name());
      for (const auto* port : x.s->outputs()) p.outputs.push_back({port->name(), &port->type()});
      if (auto* const gates = x.s->gateway()) {
        p.taps = gates->taps();
        p.feeds = gates->feeds();
      }
    }
    for (auto i = first.back(); i < d.parts.size(); ++i) d.parts[i].box = x.box;
    last.push_back(d.parts.size() - 1);
  }
  for (const auto& e : here().edges)
    d.connections.push_back({last[e.from], e.from_port, first[e.to], e.to_port});
  return d;
}

namespace model {

std::string short_name(const std::type_info& type) {
  auto name = type_name(type);
  name = name.substr(0, name.find('<'));
  const auto colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

}  // namespace model
}  // namespace THALWEG_NAMESPACE
