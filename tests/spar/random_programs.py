"""Makes programs with streams at random: a seed is a program, which means the same as a loop and as a stream.

A stream is a function of a file of many. It does nothing that means something else as a stream: no stage
changes what another part of the program uses at the same time.
"""

from dataclasses import dataclass, field
from random import Random

TYPES = {
    "int": 6,
    "long": 3,
    "double": 2,
    "bool": 1,
    "colour": 1,
    "std::string": 6,
    "std::vector<int>": 4,
    "std::unique_ptr<int>": 3,
    "pair": 2,
    "token": 2,
    "large": 2,
    "int [4]": 2,
    "short [2][3]": 1,
    "std::string [2]": 1,
}
"""The types of items (random_programs.hpp), and how often each is taken."""

COPIED = ("int", "long", "double", "std::string", "std::vector<int>", "pair")
"""Those of variables that items get a copy of, and elements of what a loop goes over."""

INDENT = "  "


@dataclass
class Text:
    """Lines of a program."""

    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def add(self, line: str) -> None:
        """Adds a line."""
        self.lines.append(INDENT * self.depth + line)

    def open(self, line: str) -> None:
        """Adds a line that begins a block."""
        self.add(f"{line} {{" if line else "{")
        self.depth += 1

    def close(self, behind: str = "") -> None:
        """Ends a block."""
        self.depth -= 1
        self.add("}" + behind)


class Program:
    """One stream at random, in a function of its own."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.name = f"stream_{seed}"
        self.text = Text()
        self.shared: list[str] = []  # values that stages read without naming them
        self.items: dict[str, str] = {}  # what may travel, and its type; what is constant is in `fixed`
        self.fixed: set[str] = set()
        self.sorted = False
        self.has_middle = False
        self.carried = False

    def chance(self, of: float) -> bool:
        """True with this probability."""
        return self.random.random() < of

    def a_type(self) -> str:
        """One of the types."""
        return self.random.choices(list(TYPES), weights=list(TYPES.values()))[0]

    def declared(self, kind: str, name: str) -> str:
        """A declaration of a variable of the type."""
        base, _, rest = kind.partition(" ")
        empty = "{}"
        return f"{base} {name}{rest}{empty};"

    def some(self, names: list[str], least: int = 0) -> list[str]:
        """Some of the names, in an order of their own."""
        count = self.random.randint(min(least, len(names)), len(names))
        return self.random.sample(names, count)

    def number(self, names: list[str]) -> str:
        """An expression of type `number` over the variables."""
        terms = [f"value({name})" for name in names]
        if self.shared and self.chance(0.4):
            terms.append(self.random.choice(self.shared))
        if not terms:
            terms = [f"number{{{self.random.randint(1, 99)}}}"]
        expression = terms[0]
        for term in terms[1:]:
            expression = f"mixed({expression}, {term})"
        return expression

    # --- the loop around the stages ---

    def write(self) -> str:
        """The text of its function."""
        text = self.text
        kind = self.random.choice(["function", "function", "template", "lambda", "generic", "method"])
        count = self.random.randint(5, 60)
        if kind == "template":
            text.lines.append(f"template <class T> void {self.name}_of(T count) {{")
        elif kind == "method":
            text.lines.append(f"struct {self.name}_object {{")
            text.add("int count;")
            text.add("number member = 17;")
            text.open("void run() const")
            self.shared.append("member")
        else:
            text.lines.append(f"void {self.name}() {{")
            if kind == "lambda":
                text.open("[](int count)")
            elif kind == "generic":
                text.open("[](auto count)")
            else:
                text.add(f"const int count = {count};")
        self.stream()
        match kind:
            case "template":
                text.lines.append(f"}}\nvoid {self.name}() {{ {self.name}_of({count}); }}")
            case "method":
                text.close()
                text.lines.append(f"}};\nvoid {self.name}() {{ {self.name}_object{{{count}}}.run(); }}")
            case "lambda" | "generic":
                text.close(f"({count});")
                text.lines.append("}")
            case _:
                text.lines.append("}")
        return "\n".join(text.lines) + "\n"

    def stream(self) -> None:
        """What stands before the loop, the loop, and what stands behind it."""
        shape = self.random.choice(["for", "for", "endless", "while", "do", "range", "twice", "block"])
        counts = shape in ("endless", "while", "do")
        self.carried = self.chance(0.4)
        outer = self.random.choice(COPIED) if self.chance(0.3) else None
        self.sorted = self.chance(0.12)
        self.before(outer, counts=counts)
        closes = self.heads(shape)
        if outer is not None:
            self.text.add(f"set(outer, {self.number([*self.items])});")
            self.items["outer"] = outer
        if self.carried:
            self.text.add(f"carried = mixed(carried, {self.number([])});")
            if self.chance(0.5):
                self.items["carried"] = "number"
                self.fixed.add("carried")
        self.source()
        self.stages()
        for close in closes:
            self.text.close(close)
        self.behind(counts=counts)

    def before(self, outer: str | None, *, counts: bool) -> None:
        """Variables that are declared before the loop."""
        text = self.text
        text.add("number sum = 1;")
        text.add("number middle = 2;")
        text.add("const int workers = 2;")
        if self.chance(0.4):
            text.add("const std::vector<number> table{3, 1, 4, 1, 5};")
            self.shared += ["table[2]", "static_cast<number>(table.size())"]
        if self.carried:
            text.add("number carried = 5;")
        if outer is not None:
            text.add(self.declared(outer, "outer"))
        if counts:
            text.add("int i = 0;")
        if self.sorted:
            text.add("std::vector<number> all;")

    def behind(self, *, counts: bool) -> None:
        """Prints what the variables hold after the loop."""
        text = self.text
        if self.sorted:
            text.add("std::sort(all.begin(), all.end());")
            text.add("for (const number one : all) sum = mixed(sum, one);")
        for one in ["sum", "middle", *(["carried"] if self.carried else []), *(["i"] if counts else [])]:
            text.add(f'std::printf("%llu\\n", static_cast<unsigned long long>({one}));')

    def heads(self, shape: str) -> list[str]:
        """Opens the loop, and gives a name to which round it is; gives what closes it."""
        text = self.text
        attribute = "[[spar::ToStream]]"
        closes = [""]
        at = "i"
        match shape:
            case "for":
                text.open(f"{attribute} for (int i = 0; i < count; i++)")
            case "endless":
                text.open(f"{attribute} for (;; i++)")
                text.add("if (i == count) break;")
            case "while":
                text.open(f"{attribute} while (i++ < count)")
            case "do":
                text.open(f"{attribute} do")
                text.add("i++;")
                closes = [" while (i < count);"]
            case "range":
                self.over_elements(attribute)
                at = "static_cast<int>(value(element) % 100)"
            case "twice":
                text.open(f"{attribute} for (int i = 0; i < count; i += 5)")
                text.open("for (int j = i; j < i + 5; j++)")
                text.add("if (j % 7 == 3) continue;")
                at = "i + j"
                closes = ["", ""]
            case _:
                text.open(attribute)
                text.add("int i = 3;")
                text.open("for (int round = 0; round < count; round++)")
                text.add("i = (i * 7 + round) % 101;")
                closes = ["", ""]
        text.add(f"{'const ' if self.chance(0.7) else ''}int at = {at};")
        self.items["at"] = "int"
        self.fixed.add("at")
        return closes

    def over_elements(self, attribute: str) -> None:
        """Opens a loop over a vector."""
        text = self.text
        kind = self.random.choice(COPIED)
        text.add(f"std::vector<{kind}> elements(static_cast<std::size_t>(count));")
        text.add("for (auto& one : elements) set(one, static_cast<number>(&one - elements.data()));")
        how = self.random.choice(["const auto&", "auto", "auto&"])
        text.open(f"{attribute} for ({how} element : elements)")
        self.items["element"] = kind
        if how == "const auto&":
            self.fixed.add("element")

    def source(self) -> None:
        """What stands before the first stage."""
        text = self.text
        if self.chance(0.3):
            text.add(f"if (value(at) % {self.random.randint(3, 7)} == 0) continue;")
        for number in range(self.random.randint(1, 4)):
            kind = self.a_type()
            name = f"v{number}"
            text.add(self.declared(kind, name))
            extra = ["carried"] if self.carried and self.chance(0.5) else []
            if self.chance(0.8):
                seed = self.number([n for n in self.items if self.chance(0.5)] or ["at"])
                for one in extra:
                    seed = f"mixed({seed}, {one})"
                text.add(f"set({name}, {seed});")
            self.items[name] = kind
        if self.chance(0.2):
            text.add("if (value(at) > 90) break;")
        if self.chance(0.2):
            text.open(f"for (int k = 0; k < {self.random.randint(1, 5)}; k++)")
            text.add("if (k == 2) continue;")
            text.add("change(v0, static_cast<number>(k));")
            text.close()

    # --- the stages ---

    def replicate(self) -> list[str]:
        """The clause of a replicated stage, maybe with others."""
        clause = self.random.choice(
            [
                f"spar::Replicate({self.random.randint(1, 4)})",
                "spar::Replicate(workers)",
                "spar::Replicate(workers + 1)",
                "spar::Replicate()",
                "spar::Replicate",
            ]
        )
        more = ["thalweg::Batch(8)"] if self.chance(0.1) else []
        if self.sorted and self.chance(0.7):
            more.append("thalweg::Unordered")
        return [clause, *more]

    def stages(self) -> None:
        """All stages; the last one is serial, and adds up what it gets."""
        for _ in range(self.random.randint(0, 4)):
            self.stage(self.replicate() if self.chance(0.6) else [])
        text = self.text
        inputs = self.some(list(self.items), 1)
        text.open(f"[[spar::Stage, spar::Input({', '.join(inputs)}), spar::Output(sum)]]")
        if self.chance(0.2):
            text.add(f"if ({self.number(inputs)} % 6 == 0) continue;")
        if self.sorted:
            text.add(f"all.push_back({self.number(inputs)});")
        else:
            text.add(f"sum = mixed(sum, {self.number(inputs)});")
        if self.chance(0.3) and not self.sorted:
            text.add('std::printf("%llu\\n", static_cast<unsigned long long>(sum));')
        text.close()

    def stage(self, clauses: list[str]) -> None:
        """A stage that is not the last one."""
        text = self.text
        changeable = [name for name in self.items if name not in self.fixed]
        outputs = self.some(changeable, 1)
        if not outputs:
            return
        anew = [name for name in outputs if self.chance(0.3)]
        inputs = [n for n in self.some(list(self.items)) if n not in anew]
        inputs += [n for n in outputs if n not in anew and n not in inputs]
        parts = ["spar::Stage"]
        if inputs:
            parts.append(f"spar::Input({', '.join(inputs)})")
        adds = not clauses and not self.sorted and not self.has_middle and self.chance(0.3)
        parts += [f"spar::Output({', '.join([*outputs, 'middle'] if adds else outputs)})", *clauses]
        attribute = f"[[{', '.join(parts)}]]"
        if not adds and len(outputs) == 1 and outputs[0] not in anew and self.chance(0.3):
            name = outputs[0]
            call = f"change({name}, {self.number([n for n in inputs if n != name])});"
            if self.chance(0.5):
                text.add(f"{attribute} {call}")
            else:
                text.add(f"{attribute} for (int k = 0; k < 3; k++) {call}")
            return
        text.open(attribute)
        text.add(f"number h = {self.number(inputs)};")
        if self.chance(0.2):
            text.add(f"if (h % {self.random.randint(4, 9)} == 1) continue;")
        if self.chance(0.4):
            self.inner_loop()
        if adds:
            self.has_middle = True
            text.add("middle = mixed(middle, h);")
        for name in outputs:
            text.add(f"set({name}, h);" if name in anew else f"change({name}, h);")
        if self.chance(0.15):
            text.add(f"if (h % {self.random.randint(4, 9)} == 2) {{ continue; }}")
        text.close()

    def inner_loop(self) -> None:
        """A loop of the stage's own, with jumps of its own."""
        text = self.text
        text.open(f"for (number k = 0; k < {self.random.randint(1, 6)}; k++)")
        text.add("if (k == h % 5) continue;")
        if self.chance(0.5):
            text.add("if (k == 4) break;")
        if self.chance(0.4):
            text.open("switch (h % 3)")
            text.add("case 0: h += 5; break;")
            text.add("case 1: h ^= k; break;")
            text.add("default: break;")
            text.close()
        text.add("h = mixed(h, k);")
        text.close()


def names(seeds: range) -> list[str]:
    """What the streams of these seeds are called."""
    return [f"stream_{seed}" for seed in seeds]


def file_of(seeds: range) -> str:
    """A file with a stream of each seed; its argument says which one to run."""
    text = ['#include <cstring>\n\n#include "random_programs.hpp"\n\nusing namespace made;\n']
    text += [Program(seed).write() for seed in seeds]
    text.append("int main(int count, char** arguments) {\n  if (count != 2) return 2;")
    text += [f'  if (std::strcmp(arguments[1], "{name}") == 0) return {name}(), 0;' for name in names(seeds)]
    text.append("  return 2;\n}\n")
    return "\n".join(text)
