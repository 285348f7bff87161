"""Which C++ a user's benchmark is compiled as: what its flags say, whatever its libraries want."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CMAKE = Path(__file__).parents[2] / "cmake"
LAUNCHER = CMAKE / "user_compiler.sh"

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(standard CXX)
function(thalweg_what_is_missing result)
  set(${{result}} "" PARENT_SCOPE)
endfunction()
add_library(app_a STATIC operators.cpp)
target_compile_options(app_a PRIVATE -Werror)
target_compile_features(app_a PUBLIC cxx_std_20)
add_library(spb_a STATIC interface.cpp)
target_link_libraries(spb_a PUBLIC app_a)
include("{CMAKE}/user_benchmarks.cmake")
"""


class Standard(unittest.TestCase):
    """A benchmark in a project that is no more than needed for it."""

    def built(self, program: str, operators: str, *settings: str) -> subprocess.CompletedProcess[str]:
        """Builds a program and operators, each of which looks at the C++ that it is compiled as."""
        with tempfile.TemporaryDirectory() as name:
            folder, build = Path(name), Path(name) / "build"
            build.mkdir()
            call = [
                "KIND user NAME mine OPERATORS user_operators.mine APPLICATION a",
                f'PROGRAM "{folder}/program.cpp" ROOT "{folder}" MACROS OWN',
                *settings,
            ]
            files = {
                folder / "CMakeLists.txt": PROJECT,
                folder / "operators.cpp": f"#ifdef OWN\nstatic_assert({operators});\n#endif\n",
                folder / "interface.cpp": "",
                folder / "cmake" / LAUNCHER.name: LAUNCHER.read_text(encoding="utf-8"),
                folder / "program.cpp": f"int main() {{ static_assert({program}, ``); }}\n".replace("`", '"'),
                build / "user_benchmarks.cmake": f"thalweg_user_benchmark({' '.join(call)})\n",
            }
            (folder / "cmake").mkdir()
            for file, text in files.items():
                file.write_text(text, encoding="utf-8")
            subprocess.run(["cmake", folder, "-B", build], capture_output=True, check=True)
            command = ["cmake", "--build", build, "--target", "user.mine"]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def good(self, program: str, operators: str, *settings: str) -> None:
        """What is built so is compiled as it wants."""
        done = self.built(program, operators, *settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_without_a_word_it_is_that_of_the_libraries(self) -> None:
        self.good("__cplusplus == 202002L", "__cplusplus == 202002L")

    def test_an_older_one_for_the_program(self) -> None:
        self.good("__cplusplus == 201402L", "__cplusplus == 202002L", "BENCH_BEHIND -std=c++1y")

    def test_a_later_one_for_both(self) -> None:
        later = "__cplusplus > 202002L"
        self.good(later, later, "BENCH_BEHIND -std=c++2b", "BEHIND -std=c++2b")


if __name__ == "__main__":
    unittest.main()
