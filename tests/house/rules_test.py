"""Each rule of the house can fail: it finds what is wrong with a small tree that is made up for it."""

import tempfile
import unittest
from pathlib import Path

import circles
import cli_layers
import constants
import layers
import models
import one_version
import versioned
import words

ROWS = "".join(f"| `include/thalweg/{folder}/` | |\n" for row in layers.LAYERS for folder in row)

COMMENT = """// State: a number.
// Writer: one thread.
// Invariant: it grows.
// It says more,
// for some lines.
// Model: docs/protocols/number.pml.
"""
MODEL = "/* A number.\n *\n * Mirrors: src/run/number.cpp: number::add,\n *   get\n *\n * Shown: all.\n */\n"
CODE = COMMENT + "#include <atomic>\nvoid number::add() { get(); }\n"


class Rules(unittest.TestCase):
    """Trees with and without mistakes."""

    def setUp(self) -> None:
        """Begins with an empty tree."""
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.root = Path(kept.name)
        self.file("CONTRIBUTING.md", ROWS)

    def file(self, name: str, text: str = "") -> None:
        """Puts a file into the tree."""
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def test_a_folder_includes_what_lies_below(self) -> None:
        self.file("include/thalweg/pipe/chunk.hpp")
        self.file("include/thalweg/run/run.hpp", "#include <thalweg/pipe/chunk.hpp>\n#include <vector>\n")
        self.file("include/thalweg/thalweg.hpp", "#include <thalweg/run/run.hpp>\n")
        self.file("src/run/graph/a.cpp", '#include <thalweg/run/run.hpp>\n\n#include "a.hpp"\n')
        self.file("src/run/graph/a.hpp")
        self.assertEqual(layers.violations(self.root), [])

    def test_a_folder_includes_nothing_above_beside_or_for_users(self) -> None:
        self.file("include/thalweg/run/run.hpp")
        self.file("include/thalweg/observe/clock.hpp")
        self.file("include/thalweg/thalweg.hpp")
        self.file("include/thalweg/model/plan.hpp", "// a plan\n#include <thalweg/run/run.hpp>\n")
        self.file("src/pipe/ring.cpp", "#include <thalweg/observe/clock.hpp>\n")
        self.file("src/pattern/map.cpp", '#include "../run/parts.hpp"\n#include <thalweg/thalweg.hpp>\n')
        self.file("src/run/parts.hpp")
        self.file("include/thalweg/run/policy.hpp", '#include "../../../src/run/parts.hpp"\n')
        self.assertEqual(
            layers.violations(self.root),
            [
                "include/thalweg/model/plan.hpp:2: model/ includes include/thalweg/run/run.hpp, "
                "but run/ lies above it",
                "include/thalweg/run/policy.hpp:1: run/ includes src/run/parts.hpp, "
                "but a public header includes nothing of src/",
                "src/pattern/map.cpp:1: pattern/ includes src/run/parts.hpp, but run/ lies above it",
                "src/pattern/map.cpp:2: pattern/ includes include/thalweg/thalweg.hpp, "
                "but that header is for users",
                "src/pipe/ring.cpp:1: pipe/ includes include/thalweg/observe/clock.hpp, "
                "but observe/ lies beside it",
            ],
        )

    def test_a_folder_has_a_layer_and_a_row_in_the_list_of_folders(self) -> None:
        self.file("src/extra/extra.cpp")
        self.file(
            "CONTRIBUTING.md",
            ROWS.replace("| `include/thalweg/net/` | |\n", "").replace("/run/", "/pipe/", 1),
        )
        self.assertEqual(
            layers.violations(self.root),
            [
                "src/extra/extra.cpp: the folder extra/ has no layer: give it one in tests/house/layers.py",
                "CONTRIBUTING.md: include/thalweg/run/ is not listed as a folder of the library",
                "CONTRIBUTING.md: include/thalweg/net/ is not listed as a folder of the library",
                "CONTRIBUTING.md: include/thalweg/pipe/ is listed above include/thalweg/adapt/, "
                "but lies below it",
            ],
        )

    def test_folders_include_each_other_in_one_direction(self) -> None:
        self.file("src/run/engine/engine.hpp")
        self.file("src/run/graph/node.cpp", '#include "../engine/engine.hpp"\n#include "node.hpp"\n')
        self.file("src/run/graph/node.hpp", '#include "run/parts.hpp"\n')
        self.file("src/run/parts.hpp")
        self.file("src/run/run.cpp", '#include "graph/node.hpp"\n')
        self.assertEqual(circles.violations(self.root), [])

    def test_a_circle_is_named(self) -> None:
        self.file("src/run/engine/engine.hpp")
        self.file("src/run/engine/engine.cpp", '#include "engine.hpp"\n#include "../graph/node.hpp"\n')
        self.file("src/run/channel/edge.hpp", '#include "../engine/engine.hpp"\n')
        self.file("src/run/graph/node.hpp", '#include "../channel/edge.hpp"\n')
        self.file(
            "src/run/policy/pool.cpp", '#include "../graph/node.hpp"\n#include "../ranks/cut/cut.hpp"\n'
        )
        self.file("src/run/ranks/cut/cut.hpp")
        self.file("src/run/ranks/mpi/mpi.cpp", '#include "../../policy/pool.hpp"\n')
        self.file("src/run/policy/pool.hpp")
        self.assertEqual(
            circles.violations(self.root),
            [
                "src/run: a circle of folders: channel -> engine -> graph -> channel",
                "  src/run/channel/edge.hpp:1: channel includes src/run/engine/engine.hpp",
                "  src/run/engine/engine.cpp:2: engine includes src/run/graph/node.hpp",
                "  src/run/graph/node.hpp:1: graph includes src/run/channel/edge.hpp",
            ],
        )

    def test_packages_of_the_command_line_import_those_below(self) -> None:
        self.file("cli/README.md", "| `thalweg_cli/` | |\n| `run/` | |\n| `base/` | |\n")
        self.file("cli/thalweg_cli/app.py", "from thalweg_cli.run.runs import Run\n")
        self.file("cli/thalweg_cli/base/paths.py", "import os\nfrom thalweg_cli.base import files\n")
        self.file("cli/thalweg_cli/run/runs.py", "from thalweg_cli.base.paths import ROOT\n")
        self.assertEqual(cli_layers.violations(self.root), [])

    def test_packages_of_the_command_line_import_nothing_above(self) -> None:
        self.file("cli/README.md", "| `thalweg_cli/` | |\n| `run/` | |\n| `base/` | |\n")
        self.file("cli/thalweg_cli/new/new.py")
        self.file("cli/thalweg_cli/base/paths.py", "from thalweg_cli.run import runs\n")
        self.file("cli/thalweg_cli/run/runs.py", "def f():\n    import thalweg_cli.app\n")
        self.assertEqual(
            cli_layers.violations(self.root),
            [
                "cli/thalweg_cli/base/paths.py:1: base/ imports thalweg_cli.run.runs, but run/ is above it",
                "cli/thalweg_cli/new/new.py: new/ is not listed in cli/README.md",
                "cli/thalweg_cli/run/runs.py:2: run/ imports thalweg_cli.app, but thalweg_cli/ is above it",
            ],
        )

    def test_what_is_no_constant_may_have_any_name(self) -> None:
        text = """
            // constexpr int most = 1;
            namespace a {
            template <class T> inline constexpr bool fits = true;
            constexpr int f() { constexpr int most = 2; return most; }
            template <class T> void g() { if constexpr (fits<T>) { static constexpr int most = 3; } }
            inline const char* text = "constexpr int most = 4;";
            }
        """
        self.file("src/run/a.cpp", text)
        self.file("src/run/b.cpp", text + "constexpr int most = '{';\n")
        self.file("src/model/c.cpp", "constexpr int most = 1;\n")
        self.assertEqual(constants.violations(self.root), [])

    def test_a_constant_is_defined_once(self) -> None:
        self.file(
            "src/run/a.cpp", "namespace {\n\nconstexpr std::int64_t run_ns = 50'000;  // of work\n\n}\n"
        )
        self.file(
            "include/thalweg/pipe/b.hpp",
            "template <class T>\n  requires std::movable<T>\nclass ring final : public base<T> {\n public:\n"
            "  static constexpr std::chrono::nanoseconds run_ns{70'000};\n};\n",
        )
        self.assertEqual(
            constants.violations(self.root),
            ["the constant run_ns is defined 2 times: src/run/a.cpp:3, include/thalweg/pipe/b.hpp:5"],
        )

    def test_all_names_are_of_one_version(self) -> None:
        self.file(
            "include/thalweg/version.hpp",
            "#define THALWEG_VERSION_MAJOR 1\n#define THALWEG_VERSION_MINOR 2\n"
            "#define THALWEG_VERSION_PATCH 3\n#define THALWEG_ABI v1_2\n"
            "namespace THALWEG_NAMESPACE {}\n",
        )
        self.file("include/thalweg/run/a.hpp", "#include <thalweg/version.hpp>\n")
        self.file("src/run/b.cpp", "#include <thalweg/run/a.hpp>\nnamespace THALWEG_NAMESPACE::run {}\n")
        self.assertEqual(versioned.violations(self.root), [])

    def test_names_of_no_version_are_found(self) -> None:
        self.file("include/thalweg/version.hpp", "namespace THALWEG_NAMESPACE {}\n")
        self.file("src/run/a.cpp", "#include <thalweg/version.hpp>\n\nnamespace thalweg::run {}\n")
        self.file("src/run/b.cpp", "namespace THALWEG_NAMESPACE {}\n")
        self.assertEqual(
            versioned.violations(self.root),
            [
                "src/run/a.cpp:3: say namespace THALWEG_NAMESPACE",
                "src/run/b.cpp: does not include <thalweg/version.hpp>, nor anything that does",
            ],
        )

    def test_a_version_that_is_written_once_more(self) -> None:
        self.file(
            "include/thalweg/version.hpp",
            "#define THALWEG_VERSION_MAJOR 1\n#define THALWEG_VERSION_MINOR 2\n"
            "#define THALWEG_VERSION_PATCH 3\n#define THALWEG_ABI v1_2\n",
        )
        self.file("CITATION.cff", "cff-version: 1.2.0\nversion: 1.2.3\n")
        self.file("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - 2026\n\n## [1.1.0] - 2025\n")
        self.file("docs/a.md", "find_package(thalweg 1.2 REQUIRED)\n")
        self.assertEqual(one_version.violations(self.root), [])

    def test_a_version_that_is_another_one_elsewhere(self) -> None:
        self.file(
            "include/thalweg/version.hpp",
            "#define THALWEG_VERSION_MAJOR 1\n#define THALWEG_VERSION_MINOR 3\n"
            "#define THALWEG_VERSION_PATCH 0\n#define THALWEG_ABI v1_2\n",
        )
        self.file("CITATION.cff", "cff-version: 1.3.0\nversion: 1.2.3\n")
        self.file("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - 2026\n\n## [1.3.0] - 2025\n")
        self.file("docs/a.md", "find_package(thalweg 1.2 REQUIRED)\n")
        self.assertEqual(
            one_version.violations(self.root),
            [
                "include/thalweg/version.hpp: the namespace is not called after the version",
                "CITATION.cff: says 1.2.3, and include/thalweg/version.hpp 1.3.0",
                "CHANGELOG.md: says 1.2.3, and include/thalweg/version.hpp 1.3.0",
                "docs/a.md: says 1.2, and include/thalweg/version.hpp 1.3.0",
            ],
        )

    def test_model_and_code_that_name_each_other(self) -> None:
        self.file("docs/protocols/number.pml", MODEL)
        self.file("src/run/number.cpp", CODE)
        self.assertEqual(models.violations(self.root), [])

    def test_a_model_names_the_code_that_it_mirrors(self) -> None:
        self.file("docs/protocols/number.pml", "/* A number (src/run/number.cpp: add). */\n")
        self.file("docs/protocols/gone.pml", "/* Mirrors: src/run/gone.cpp: add */\n")
        self.assertEqual(
            models.violations(self.root),
            [
                "docs/protocols/gone.pml: it mirrors src/run/gone.cpp, which does not exist",
                "docs/protocols/number.pml: its header has no line 'Mirrors: <file>: <name>, ...'",
            ],
        )

    def test_the_names_that_a_model_mirrors_are_in_the_code(self) -> None:
        self.file("docs/protocols/number.pml", MODEL)
        self.file("src/run/number.cpp", CODE.replace("get()", "take()  // get"))
        self.assertEqual(
            models.violations(self.root),
            ["docs/protocols/number.pml: it mirrors get, which src/run/number.cpp does not have"],
        )

    def test_the_comment_of_a_protocol_says_what_it_is_about(self) -> None:
        self.file("docs/protocols/number.pml", MODEL)
        self.file(
            "src/run/number.cpp",
            CODE.replace("// Writer: one thread.\n", "").replace("number.pml", "other.pml"),
        )
        self.assertEqual(
            models.violations(self.root),
            [
                "src/run/number.cpp: its comment at the top has no line 'Writer: ...'",
                "src/run/number.cpp: its comment at the top has 5 lines: it has at least 6",
                "src/run/number.cpp: its comment at the top does not name docs/protocols/number.pml, "
                "which mirrors it",
            ],
        )

    def test_plain_pages_and_code_may_have_any_words(self) -> None:
        self.file("README.md", "A map is expensive. Who calls it? The policy does, as `nobody` else.\n")
        self.file("docs/a.md", "## Who executes what\n\n```cpp\nint dear = 1;  // for ever\n```\n")
        self.file("src/run/a.cpp", "/// Nobody waits for ever.\n")
        self.file("include/thalweg/a.hpp", "// Nobody waits.\nint a;  ///< `dear`\n")
        self.file("docs/pictures/draw.py", "# dear\n")
        self.assertEqual(words.violations(self.root), [])

    def test_odd_words_are_found_with_what_to_say(self) -> None:
        self.file("docs/a.md", "Plain.\n\n- It is `so` dear that it\n  stands\n  there for ever.\n")
        self.file("apps/sort/README.md", "Nobody sorts.\n")
        self.file(
            "include/thalweg/a.hpp", "int a;\n/// A number that\n/// stands\n/// there.\nint b;  ///< dear\n"
        )
        self.assertEqual(
            words.violations(self.root),
            [
                "apps/sort/README.md:1: 'Nobody': say 'no (every) thread, rank, user, ...'",
                "docs/a.md:3: 'dear': say 'expensive'",
                "docs/a.md:4: 'stands there': say 'is'",
                "docs/a.md:5: 'for ever': say 'forever'",
                "include/thalweg/a.hpp:3: 'stands there': say 'is'",
                "include/thalweg/a.hpp:5: 'dear': say 'expensive'",
            ],
        )

    def test_each_odd_word_can_be_found(self) -> None:
        odd = [
            "dearer items",
            "whoever waits",
            "Who is free takes the next run.",
            "one's own pattern",
            "it stands in the header",
            "it lies in a loop",
            "it belongs into a farm",
            "all ranks have to come to the same runs",
            "waits for ever",
            "everybody is woken",
            "so many replicas",
            "those of what it sends",
            "the page tells how",
            "late items are told of",
            "what becomes of an item",
            "for want of room",
            "held against another set",
        ]
        self.assertEqual(len(odd), len(words.WORDS))
        for text, pattern in zip(odd, words.WORDS, strict=True):
            self.assertEqual([plain for _, _, plain in words.odd_words(text)], [words.WORDS[pattern]], text)


if __name__ == "__main__":
    unittest.main()
