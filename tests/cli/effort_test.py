"""What `effort` counts: small sources counted by hand, and the programs of bench/."""

import csv
import io
import json
import math
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from thalweg_cli.app import app
from thalweg_cli.base.files import write
from thalweg_cli.base.paths import BENCH
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import select, written_programs
from thalweg_cli.cpp.structure import Structure, used_declarations
from thalweg_cli.cpp.tokens import Kind, tokenize
from thalweg_cli.effort.command import (
    MEASURES,
    Row,
    check_outputs,
    in_latex,
    number,
    rows_of,
    sequential_of,
    table_of,
)
from thalweg_cli.effort.measures import READS_OPTIONS, Halstead, Measures, measure
from thalweg_cli.effort.parallel_interfaces import marks
from typer.testing import CliRunner, Result

TWICE = """#include <vector>
// a comment
int twice(int x) {

  return 2 * x;  /* two,
as the name says */
}
"""


def measured(text: str) -> Measures:
    """The measures of a source."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "source.cpp"
        file.write_text(text, encoding="utf-8")
        return measure(file, Path(folder) / "support")


def texts(source: str) -> list[str]:
    """The tokens of a source."""
    return [token.text for token in tokenize(source, "source.cpp")]


def complexities(source: str) -> dict[str, int]:
    """The complexity of each function."""
    structure = Structure(tokenize(source, "source.cpp"), "source.cpp")
    return {one.name: one.complexity for one in structure.functions()}


def parallel(source: str) -> dict[str, list[str]]:
    """The tokens of each interface, in their order."""
    tokens = tokenize(source, "source.cpp")
    result: dict[str, list[str]] = {}
    for token, interface in zip(tokens, marks(tokens), strict=True):
        if interface:
            result.setdefault(interface, []).append(token.text)
    return result


class Tokens(unittest.TestCase):
    """`tokenize`."""

    def test_literals_are_one_token(self) -> None:
        for literal in (
            '"a // b"',
            R'"\""',
            'R"x(a\n)" )x"',
            'u8"s"sv',
            "'\\''",
            "L'a'",
            "1'000.5e-3f",
            "0x1Fu",
        ):
            with self.subTest(literal):
                self.assertEqual(texts(f"f({literal});"), ["f", "(", literal, ")", ";"])

    def test_longest_punctuation(self) -> None:
        self.assertEqual(texts("a<=>b->*c...d>>=e"), ["a", "<=>", "b", "->*", "c", "...", "d", ">>=", "e"])
        self.assertEqual(texts("[[a]] b[c[0]]"), ["[[", "a", "]", "]", "b", "[", "c", "[", "0", "]", "]"])

    def test_comments_are_none(self) -> None:
        self.assertEqual(texts("a // b \\\n c\n/* d\n'*/ e"), ["a", "e"])

    def test_directives(self) -> None:
        tokens = tokenize(
            "#  include <a/b.h>  // c\n#error don't\n#pragma omp \\\n task\nx # y", "source.cpp"
        )
        self.assertEqual(
            [(token.text, token.directive) for token in tokens],
            [
                ("#include", "include"),
                ("<a/b.h>", "include"),
                ("#error", "error"),
                ("don't", "error"),
                ("#pragma", "pragma"),
                ("omp", "pragma"),
                ("task", "pragma"),
                ("x", ""),
                ("#", ""),
                ("y", ""),
            ],
        )
        self.assertIs(tokens[1].kind, Kind.HEADER)

    def test_lines(self) -> None:
        tokens = tokenize('a\n/* b\n*/ R"(c\nd)" e \\\nf', "source.cpp")
        self.assertEqual(
            [(token.line, token.last_line) for token in tokens], [(1, 1), (3, 4), (4, 4), (5, 5)]
        )

    def test_what_does_not_end_is_named_with_its_line(self) -> None:
        for source, what in (
            ("a\nb /* c\n", "a comment"),
            ('a\n"b\n', "a string"),
            ('a\nu8R"(b"\n', "a raw string"),
            ("a\n\0", "not part"),
        ):
            with self.subTest(source), self.assertRaisesRegex(Failed, rf"source\.cpp:2: .*{what}"):
                tokenize(source, "source.cpp")


class Complexity(unittest.TestCase):
    """`Structure.functions`."""

    def test_decisions(self) -> None:
        for body, decisions in {
            "": 0,
            "if (a) b(); else c();": 1,
            "if (a && b || !c) d();": 3,
            "if (a and b or c) d();": 3,
            "for (int i = 0; i < n; ++i) a();": 1,
            "for (auto&& x : xs) a(x);": 1,
            "while (a) do b(); while (c);": 2,
            "switch (a) { case 1: case 2: break; default: b(); }": 2,
            "try { a(); } catch (const b&) {} catch (...) {}": 2,
            "return a ? b : c ? d : e;": 2,
            "T&& a = b(); auto&& [c, d] = e; f(static_cast<T&&>(a));": 0,
            "std::function<void(T&&)> f; std::vector<T&&> g;": 0,
            "for (; const auto a = b(); ++c) d(a && e);": 2,
            "for (; a || b;) {} for (int i = 0; i < n; ++i) if (c) d();": 4,
            "if ((a->*b)(c) && (d.*e)()) f();": 2,
            "a.emplace<b>(c && d); return (es && ...);": 2,
            "\n#pragma omp parallel if (a && b)\n c();": 0,
            "\n#if A\n if (a) {\n#else\n if (b) {\n#endif\n c(); }": 1,
            'a("if (b) { while (c) }");': 0,
        }.items():
            with self.subTest(body):
                self.assertEqual(complexities(f"void f(T&& t, U&& u) {{ {body} }}"), {"f": 1 + decisions})

    def test_lambdas_count_for_themselves(self) -> None:
        source = """
            int main() {
              if (a) b([&](T&& x) { return x && y; });
              auto c = [x = d[0], this]<class T>(T) mutable noexcept -> std::map<int, T> { for (;;) {} };
              auto& [e, f] = g;
              h[[] { return 1; }()] = new int[2]{1, 2};
            }
        """
        structure = Structure(tokenize(source, "source.cpp"), "source.cpp")
        self.assertEqual(
            [(one.name, one.line, one.complexity) for one in structure.functions()],
            [("main", 2, 2), ("lambda", 3, 2), ("lambda", 4, 2)],
        )

    def test_where_functions_are_defined(self) -> None:
        source = """
            namespace a::b {
            struct c final : d<e> {
              c() : d<e>{1}, f_(2), g_{3} { if (f_) {} }
              explicit c(int x) noexcept(true) : f_{x} {}
              ~c() override {}
              bool operator()(int x) const { return x || f_; }
              bool operator<(const c&) const = default;
              [[nodiscard]] auto h() const -> std::optional<int> { return {}; }
             private:
              int f_ = 0, g_{};
            };
            }
            extern "C" { void i(int x[]) { while (x) {} } }
            enum class j { k, l };
            constexpr int m[] = {1, 2}, n{3};
            std::array<int, 2 * m.size()> more{};
            template <class T> requires (sizeof(T) > 1) void o::p(T t) {
              struct q { void r() { if (t) {} } };
            }
            const auto s = [](int x) { return x ? 1 : 2; };
        """
        self.assertEqual(
            complexities(source),
            {"c": 1, "~c": 1, "operator()": 2, "h": 1, "i": 2, "o::p": 1, "r": 2, "lambda": 2},
        )

    def test_brackets_that_do_not_match(self) -> None:
        for source in ("f() {\n(}", "{\n)", "\n{", "a\n]"):
            with self.subTest(source), self.assertRaisesRegex(Failed, r"source\.cpp:2: "):
                Structure(tokenize(source, "source.cpp"), "source.cpp")


class Interfaces(unittest.TestCase):
    """`marks`: which tokens are an interface's."""

    def test_pragmas_with_directives_and_clauses(self) -> None:
        self.assertEqual(
            parallel("#pragma omp task firstprivate(i) depend(inout : slot[i]) if(n)\nomp_get_thread_num();"),
            {
                "openmp": [
                    "#pragma",
                    "omp",
                    "task",
                    "firstprivate",
                    "depend",
                    "inout",
                    "if",
                    "omp_get_thread_num",
                ]
            },
        )
        self.assertEqual(parallel("#pragma once\n#pragma GCC unroll 4\n"), {})

    def test_names_of_namespaces(self) -> None:
        for source, interface, tokens in (
            ("tbb::filter_mode::parallel", "tbb", "tbb filter_mode parallel"),
            ("oneapi::tbb::flow_control& c; ::tbb::f()", "tbb", "oneapi tbb flow_control tbb f"),
            ("namespace flow = tbb::flow; flow::graph g;", "tbb", "flow tbb flow flow graph"),
            ("namespace tw = thalweg; tw::run(tw::map(f));", "thalweg", "tw thalweg tw run tw map"),
            ("using namespace tbb; parallel_for(r, f);", "tbb", "tbb parallel_for"),
            ("using tf::Taskflow; Taskflow t;", "taskflow", "tf Taskflow Taskflow"),
            ("using namespace std; mutex m;", "threads", "mutex"),
            (
                "std::this_thread::yield(); std::vector<std::jthread> t;",
                "threads",
                "this_thread yield jthread",
            ),
            ("ff::ff_Farm<T> f; struct n : ff_node_t<T> {};", "fastflow", "ff ff_Farm ff_node_t"),
            ("MPI_Send(MPI_INT);", "mpi", "MPI_Send MPI_INT"),
            ("[[spar::Stage, spar::Input(x)]] for (;;) {}", "spar", "[[ spar Stage spar Input"),
            (
                "[[spar::Stage, spar::Input(a[i], b), thalweg::KeyBy(thalweg_key)]] f();",
                "spar",
                "[[ spar Stage spar Input thalweg KeyBy",
            ),
            ("using queue = SharedQueue<T>;", "spbench queue", "SharedQueue"),
        ):
            with self.subTest(source):
                self.assertEqual(parallel(source), {interface: tokens.split()})

    def test_members_only_beside_their_interface(self) -> None:
        self.assertEqual(
            parallel("tbb::flow_control& c; c.stop(); stop(); spb::Metrics::stop();"),
            {"tbb": ["tbb", "flow_control", "stop"]},
        )
        self.assertEqual(parallel("c.stop(); t->join();"), {})
        self.assertEqual(parallel("std::jthread t; t.join();"), {"threads": ["jthread", "join"]})
        self.assertEqual(
            parallel("struct n : ff::ff_node { void* svc(void*) { return GO_ON; } };"),
            {"fastflow": ["ff", "ff_node", "svc", "GO_ON"]},
        )

    def test_functions_and_options_of_objects(self) -> None:
        for source, interface, tokens in (
            ("ff::ff_Farm<T> f; f.add_collector(c);", "fastflow", "ff ff_Farm add_collector"),
            ("tf::Executor e; e.run(t).wait();", "taskflow", "tf Executor run wait"),
            ("wf::PipeGraph g; g.add_source(s).add_sink(t);", "windflow", "wf PipeGraph add_source add_sink"),
            ("grppi::keep(e); e.set_queue_attributes(1, m);", "grppi", "grppi keep set_queue_attributes"),
            ("pipe.createGroup(n); ff::ff_a2a a;", "fastflow", "createGroup ff ff_a2a"),
            ("dspar::Worker<A, B> w; f.SetWorkerReplicas(2);", "dsparlib", "dspar Worker SetWorkerReplicas"),
            ("SharedQueue<T> q; q.dequeue(x); q.close();", "spbench queue", "SharedQueue dequeue close"),
            ("tbb::flow::graph g; g.wait_for_all();", "tbb", "tbb flow graph wait_for_all"),
            ("thalweg::farm(f, {.replicas = 2, .mine = 3});", "thalweg", "thalweg farm replicas"),
        ):
            with self.subTest(source):
                self.assertEqual(parallel(source), {interface: tokens.split()})

    def test_own_names_are_none(self) -> None:
        self.assertEqual(parallel("int tbb = 1; a::tbb::b(); x.ff; std::vector<int> thread, mutex;"), {})


class Counts(unittest.TestCase):
    """Lines and Halstead's measures, counted by hand."""

    def test_sequential_source(self) -> None:
        # Operators: ( ) { } return * ;  Operands: int int twice x x 2
        found = measured(TWICE)
        self.assertEqual((found.lines, found.complexity, found.parallel_tokens), (4, 1, 0))
        self.assertEqual(found.halstead, Halstead(5, 4, 5, 6))
        self.assertEqual((found.halstead.vocabulary, found.halstead.length), (9, 11))
        self.assertAlmostEqual(found.halstead.volume, 11 * math.log2(9))
        self.assertAlmostEqual(found.halstead.difficulty, 5 / 2 * 6 / 4)
        self.assertAlmostEqual(found.halstead.effort, 3.75 * 11 * math.log2(9))
        self.assertAlmostEqual(found.halstead.seconds, 3.75 * 11 * math.log2(9) / 18)

    def test_source_with_an_interface(self) -> None:
        found = measured("""
            namespace tw = thalweg;
            int main() { tw::run(tw::source(next) | tw::map(std::move(f), {.capacity = 2})); }
        """)
        self.assertEqual(
            found.parallel,
            {"thalweg": {"capacity": 1, "map": 1, "run": 1, "source": 1, "thalweg": 1, "tw": 4}},
        )
        self.assertEqual((found.parallel_tokens, found.distinct_parallel_tokens), (9, 6))
        # Other operators: namespace =2 ;2 ( )5 { }2 ::4 | . ,  Operands: int main next std move f 2
        self.assertEqual(found.halstead, Halstead(6 + 9, 7, 9 + 19, 7))

    def test_brackets_are_one_operator_and_so_are_those_of_templates(self) -> None:
        # Operators: template < >3 class ::2 ( ) ;2 = < && >
        # Operands: T2 std2 vector unique_ptr f int e a b c d
        found = measured("template <class T> std::vector<std::unique_ptr<T>> f(); int e = a < b && c > d;")
        self.assertEqual(found.halstead, Halstead(10, 11, 14, 13))

    def test_directives_count_unless_they_only_fetch_declarations(self) -> None:
        self.assertEqual(measured("#pragma once\n#include <a>\n").halstead, Halstead(0, 0, 0, 0))
        self.assertEqual(measured("#define A 1\n").halstead, Halstead(1, 2, 1, 2))
        self.assertEqual(measured("#pragma once\n#include <a>\n").lines, 2)

    def test_nothing(self) -> None:
        found = measured("// nothing\n")
        self.assertEqual((found.lines, found.complexity, found.halstead.effort), (0, 0, 0))


class Shared(unittest.TestCase):
    """What a program uses of headers that it shares with others."""

    def test_only_what_is_used_counts(self) -> None:
        header = """
            #pragma once
            template <class T> class queue { T first; };
            using numbers = queue<int>;
            inline int next(int x) {
              return x + 1;
            }
            struct other {};
        """
        declared = Structure(tokenize(header, "header.hpp"), "header.hpp").declarations()
        self.assertEqual([one.name for one in declared], ["queue", "numbers", "next", "other"])
        self.assertEqual([one.name for one in used_declarations({"numbers"}, declared)], ["queue", "numbers"])
        self.assertEqual(used_declarations({"first", "x", "T"}, declared), [])

    def test_headers_that_include_headers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder) / "bench"
            (bench / "support").mkdir(parents=True)
            (bench / "support" / "a.hpp").write_text(
                '#include "bench/support/b.hpp"\ninline void a() {\n  b([](ff::ff_node&) {});\n}\n'
            )
            (bench / "support" / "user_number.hpp").write_text("inline int user_number() { return 1; }\n")
            (bench / "support" / "b.hpp").write_text("template <class F> void b(F f) { if (f) f(); }\n")
            file = bench / "program.cpp"
            file.write_text(
                '#include "bench/support/a.hpp"\n#include "bench/support/user_number.hpp"\n'
                "int main() { a(); n.svc(user_number()); }\nint svc;\n"
            )
            found = measure(file, bench / "support")
            self.assertEqual((found.lines, found.shared_lines, found.complexity), (8, 4, 1 + 1 + 1 + 2))
            # What a header shows about the interface holds for the file.
            self.assertEqual(found.parallel, {"fastflow": {"ff": 1, "ff_node": 1, "svc": 2}})
            self.assertEqual(found.alone().lines, 4)

    def test_what_is_never_counted_is_there(self) -> None:
        for header in READS_OPTIONS:
            self.assertTrue((BENCH / "support" / header).is_file(), header)

    def test_headers_beside_the_program_are_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder)
            (own / "mine.hpp").write_text(
                '#include "mine.hpp"\n#include "deep.hpp"\ninline int a() {\n  return b();\n}\n'
            )
            (own / "deep.hpp").write_text(
                '#include "mine.hpp"\ninline int b() { return 1; }\nint unused();\n'
            )
            file = own / "program.cpp"
            file.write_text('#include "mine.hpp"\nint main() { return a(); }\n')
            found = measure(file, BENCH / "support")
            self.assertEqual((found.lines, found.shared_lines, found.number_of_functions), (2 + 3 + 1, 0, 3))
            self.assertEqual(found.alone().lines, found.lines)


class Programs(unittest.TestCase):
    """The programs of bench/."""

    rows: list[Row]

    @classmethod
    def setUpClass(cls) -> None:
        written = written_programs(BENCH)
        cls.rows, broken = rows_of(written, written, BENCH, alone=False)
        assert not broken

    def test_all_are_found(self) -> None:
        names = {row.name for row in self.rows}
        self.assertEqual(len(names), len(list(BENCH.glob("*/*/*.cpp"))))
        self.assertLessEqual({"ferret_sequential", "ferret_tbb_pipe-farm", "bzip2_thalweg_farm"}, names)

    def test_each_has_lines_and_functions(self) -> None:
        for row in self.rows:
            with self.subTest(row.name):
                self.assertGreater(row.measures.alone().lines, 0)
                self.assertGreater(row.measures.complexity, 0)
                self.assertGreater(row.measures.halstead.effort, 0)

    def test_tokens_are_those_of_the_interface(self) -> None:
        expected = {"sequential": [], "threads": ["spbench queue", "threads"]}
        expected |= {"mpi-plain": ["mpi"], "mpi-thalweg": ["thalweg"]}
        expected |= {"mpi-dsparlib": ["dsparlib", "mpi"], "mpi-fastflow": ["fastflow", "mpi"]}
        for row in self.rows:
            with self.subTest(row.name):
                self.assertEqual(sorted(row.measures.parallel), expected.get(row.interface, [row.interface]))

    def test_ratios_are_to_the_sequential_program(self) -> None:
        for row in self.rows:
            with self.subTest(row.name):
                self.assertIsNotNone(row.sequential)
                for one in MEASURES:
                    if not one.is_relative:
                        continue
                    ratio = row.ratio(one)
                    assert ratio is not None
                    if row.interface == "sequential":
                        self.assertEqual(ratio, 1)
                    elif one.key == "effort":
                        self.assertGreater(ratio, 1)

    def test_order(self) -> None:
        applications = [row.application for row in self.rows]
        self.assertEqual(applications, sorted(applications))
        ferret = [row.measures.halstead.effort for row in self.rows if row.application == "ferret"]
        self.assertEqual(ferret, sorted(ferret))


class Command(unittest.TestCase):
    """`./thalweg effort` as a user types it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "twice.cpp"
        self.source.write_text(TWICE, encoding="utf-8")

    def type(self, *arguments: str | Path) -> Result:
        return CliRunner().invoke(app, ["effort", *map(str, arguments)])

    def fails(self, *arguments: str | Path) -> Failed:
        failure = self.type(*arguments).exception
        assert isinstance(failure, Failed), failure
        return failure

    def test_shows_what_is_chosen(self) -> None:
        done = self.type("--app", "ferret", "--ppi", "tbb", "--bench", "ferret_tbb_pipe-farm")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual([word for word in done.output.split() if "_" in word], ["ferret_tbb_pipe-farm"])
        self.assertIn("relative to the sequential program", done.output)

    def test_own_file(self) -> None:
        done = self.type("--file", self.source)
        self.assertEqual(done.exit_code, 0, done.output)
        shown = "".join(done.output.split())
        self.assertIn(str(self.source), shown)
        self.assertNotIn("ferret", shown)
        self.assertNotIn("relative", shown)

    def test_writes_files(self) -> None:
        places = [self.folder / f"out.{kind}" for kind in ("json", "csv", "tex")]
        done = self.type(
            "--bench", "ferret_openmp", "--file", self.source,
            "--json", places[0], "--csv", places[1], "--latex", places[2],
        )  # fmt: skip
        self.assertEqual(done.exit_code, 0, done.output)
        in_json = json.loads(places[0].read_text(encoding="utf-8"))
        with places[1].open(encoding="utf-8") as file:
            in_csv = list(csv.DictReader(file))
        for one in (in_json, in_csv):
            self.assertEqual([row["program"] for row in one], ["ferret_openmp_farm", str(self.source)])
            self.assertEqual([int(row["lines"]) for row in one], [25, 4])
        self.assertEqual(in_json[0]["file"], "bench/ferret/openmp/farm.cpp")
        self.assertEqual(in_json[0]["lines_ratio"], 25 / 16)
        self.assertEqual(in_json[0]["parallel"]["openmp"]["taskwait"], 1)
        self.assertEqual(
            in_json[1]["functions"],
            [{"where": str(self.source), "name": "twice", "line": 3, "complexity": 1}],
        )
        self.assertIsNone(in_json[1]["lines_ratio"])
        self.assertEqual(in_csv[1]["lines_ratio"], "")
        in_latex = places[2].read_text(encoding="utf-8")
        self.assertIn(r"ferret\_openmp\_farm & 25 (1.56) & 0 &", in_latex)
        self.assertIn(r" & 41\,984 (7.04) & ", in_latex)
        self.assertEqual(len(list(self.folder.iterdir())), 4, "nothing unfinished is left")

    def test_without_what_is_shared(self) -> None:
        lines = []
        for options in ((), ("--alone",)):
            self.type("--bench", "ferret_fastflow", *options, "--json", self.folder / "out.json")
            found = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))[0]
            lines.append((found["lines"] - found["shared_lines"], found["shared_lines"] > 0))
        self.assertEqual(lines, [(32, True), (32, False)])

    def test_unknown_names(self) -> None:
        self.assertRegex(self.fails("--app", "feret").remedy, "did you mean ferret[?] one of bzip2, ")
        self.assertRegex(self.fails("--ppi", "openpm").remedy, "did you mean openmp[?]")
        self.assertRegex(self.fails("--bench", "ferret_tb").remedy, "did you mean ferret_tbb")
        self.assertEqual(self.fails("--bench", "xyz").remedy, "./thalweg list")

    def test_files_that_cannot_be_read(self) -> None:
        self.assertRegex(
            self.fails("--file", self.folder / "none.cpp").what, "none.cpp cannot be read: No such"
        )
        self.assertRegex(self.fails("--file", self.folder).what, "cannot be read: Is a directory")
        self.source.write_text("int x;\n/* no end", encoding="utf-8")
        self.assertRegex(self.fails("--file", self.source).what, r"twice\.cpp:2: a comment that does not end")

    def test_any_bytes_are_text(self) -> None:
        self.source.write_bytes(b"// \xe9t\xe9\nint x;\n")
        self.assertEqual(self.type("--file", self.source).exit_code, 0)

    def test_sources_are_never_replaced(self) -> None:
        self.assertIn("is a source", self.fails("--file", self.source, "--json", self.source).what)
        self.assertEqual(self.source.read_text(encoding="utf-8"), TWICE)
        same = self.folder / "out"
        self.assertIn("another output", self.fails("--file", self.source, "--json", same, "--csv", same).what)
        self.assertFalse(same.exists())

    def test_no_output_goes_among_the_sources(self) -> None:
        # Not by the command: if it did not refuse, it would write there.
        with self.assertRaisesRegex(Failed, "where the sources are"):
            check_outputs([BENCH / "support" / "chunk.hpp"], [])
        link = self.folder / "link"
        link.symlink_to(BENCH)
        with self.assertRaisesRegex(Failed, "where the sources are"):
            check_outputs([link / "out.json"], [])
        check_outputs([self.folder / "out.json"], [])

    def test_output_that_cannot_be_written(self) -> None:
        failure = self.fails("--file", self.source, "--csv", self.folder / "none" / "out.csv")
        self.assertRegex(failure.what, "none/out.csv cannot be written: No such file")


class Files(unittest.TestCase):
    """`write`."""

    def test_what_is_not_complete_leaves_nothing_and_replaces_nothing(self) -> None:
        def fail_half_way(place: Path) -> None:
            place.write_text("half", encoding="utf-8")
            raise ValueError("no more")

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "out.csv"
            file.write_text("before", encoding="utf-8")
            with self.assertRaisesRegex(Failed, r"out\.csv cannot be written: no more"):
                write(file, fail_half_way)
            self.assertEqual([one.name for one in Path(folder).iterdir()], ["out.csv"])
            self.assertEqual(file.read_text(encoding="utf-8"), "before")


class NoSequential(unittest.TestCase):
    """An application without a sequential program."""

    def test_there_is_no_ratio(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder)
            (bench / "new" / "tbb").mkdir(parents=True)
            (bench / "new" / "tbb" / "farm.cpp").write_text(TWICE, encoding="utf-8")
            written = written_programs(bench)
            said = io.StringIO()
            with redirect_stdout(said):
                rows, _ = rows_of(select(written, [], [], []), written, bench, alone=False)
            self.assertIn("new has no sequential program", said.getvalue())
            self.assertEqual([row.ratio(one) for row in rows for one in MEASURES], [None] * len(MEASURES))
            self.assertIsNone(table_of(rows).caption)

    def test_same_composition_comes_first(self) -> None:
        written = written_programs(BENCH)
        for name, plain in (
            ("ferret_tbb_several-sources", "ferret_sequential_several-sources"),
            ("ferret_tbb_farm", "ferret_sequential"),
        ):
            found = sequential_of(select(written, [name], [], [])[0], written)
            self.assertEqual(found.name if found else "", plain)


class Shown(unittest.TestCase):
    """How values are written."""

    def test_numbers(self) -> None:
        for value, text in ((7, "7"), (12345, "12 345"), (1.0, "1"), (2.345, "2.35"), (45678.9, "45 679")):
            self.assertEqual(number(value), text)

    def test_latex(self) -> None:
        self.assertEqual(in_latex(r"a_b&50%{\~}"), r"a\_b\&50\%\{\textbackslash{}\textasciitilde{}\}")
