"""Benchmarks of the user's own, compiled: with other compilers and operators, broken ones, a moved folder."""

import shutil
import unittest

from user import ROOT, User

WRONG = "s/of.prime = divisor == of.number/of.prime = divisor == of.number || of.number == 9/"


class Built(User):
    """What ./thalweg compile and exec do with them."""

    def test_each_is_built_in_its_own_way_and_a_broken_one_stops_no_other(self) -> None:
        for name in ("logged", "wrong", "broken"):
            self.types(f"./thalweg new --app primes --ppi mine --bench {name}")
        compiler = self.file("other-c++", '#!/bin/sh\nprintf "%s\\n" "$@" >>"$0.log"\nexec c++ "$@"\n')
        self.types(f"./thalweg configure logged --set BENCH_CXX={compiler} --set MACROS=LOGGED=1")
        self.types(f"./thalweg edit-op wrong --op Primality --editor 'sed -i \"{WRONG}\"'")
        self.types("./thalweg edit broken --editor 'sed -i \"s/Primality/Prmality/\"'")

        said = self.types(
            "./thalweg exec --app primes --ppi mine --ppi sequential --input test --verify", code=1
        )
        self.assertRegex(said, r"primes_mine_broken/program.cpp:\d+:\d+: error: .*Prmality")
        self.assertNotIn("Traceback", said)
        for row in ("primes_sequential .* good", "primes_mine_logged .* good"):
            self.assertRegex(said, row)
        self.assertRegex(said, r"failed: primes_mine_wrong, test, 1 threads: the output is wrong: .*")
        self.assertNotRegex(said, r"primes_mine_broken +\d")

        # The other compiler has had the program, and no source of ours.
        log = (self.folder / "other-c++.log").read_text(encoding="utf-8").splitlines()
        self.assertEqual(
            [word for word in log if word.endswith(".cpp")],
            [str(self.benchmarks / "primes_mine_logged/program.cpp")],
        )
        self.assertIn("-DLOGGED=1", log)

        failure = self.types("./thalweg compile --bench primes_mine_broken", code=1)
        self.assertIn("primes_mine_broken cannot be built", failure)
        self.types("./thalweg reset-op wrong --op primality --yes")
        self.types("./thalweg delete broken --yes")
        moved = self.folder / "moved"
        self.benchmarks.rename(moved)
        (self.folder / "other-c++").rename(self.folder / "gone")
        said = self.types("./thalweg exec --ppi mine --input test --verify", THALWEG_BENCHMARKS=str(moved))
        self.assertRegex(said, "left out: primes_mine_logged: there is no compiler .*/other-c\\+\\+")
        self.assertRegex(said, r"verified[^a-z]+threads(?s:.)*primes_mine_wrong +1 \(1\) +0\.")

        # Our programs are built as the user says, too, and as they are without that.
        (self.folder / "gone").rename(compiler)
        self.environment["THALWEG_BENCHMARKS"] = str(moved)
        self.types(f"./thalweg global-config --set BENCH_CXX={compiler} --set MACROS=MINE=1")
        ours = "./thalweg exec --bench primes_sequential --input test --verify"
        self.assertRegex(self.types(ours), r"verified[^a-z]+threads(?s:.)*primes_sequential +1 \(1\) +0\.")
        log = (self.folder / "other-c++.log").read_text(encoding="utf-8").splitlines()
        self.assertIn(str(ROOT / "bench/primes/sequential/sequential.cpp"), log)
        self.assertIn("-DMINE=1", log)
        kept = f"primes_sequential: bench_cxx={compiler}; macros=MINE=1; "
        self.assertIn(kept, self.types("./thalweg results latest"))
        self.types("./thalweg global-config --set CXX_FLAGS=-DOPERATORS=2 --unset BENCH_CXX --unset MACROS")
        self.types("./thalweg list")
        commands = self.types(f"ninja -C '{ROOT}/build/release' -t commands configured.primes_sequential")
        self.assertRegex(commands, "-DOPERATORS=2 .*spb/primes.cpp")
        self.types("./thalweg global-config --unset CXX_FLAGS")
        self.types(ours)
        self.assertNotIn("primes_sequential:", self.types("./thalweg results latest"))

        # CMake, by itself, finds in its list what is no longer there.
        shutil.rmtree(moved)
        self.types(f"cmake '{ROOT}/build/release'")

    def test_mistake_in_the_cmake_file_of_an_application_stops_no_other(self) -> None:
        self.types("./thalweg new-app noise")
        file = self.benchmarks / "apps" / "noise" / "CMakeLists.txt"
        good = file.read_text(encoding="utf-8")
        line = good.count("\n") + 1
        for mistake, says in (
            ("if(", "Parse error. Function missing ending"),
            ("find_package(Nosuch REQUIRED)", "By not providing"),
        ):
            file.write_text(f"{good}{mistake}\n", encoding="utf-8")
            said = self.types("./thalweg exec --bench primes_sequential --input test --verify")
            self.assertRegex(said, rf"the application noise is left out: {file}:{line}: {says}")
            self.assertRegex(said, r"verified[^a-z]+threads(?s:.)*primes_sequential +1 \(1\) +0\.")
        said = self.types("./thalweg list --app noise")
        self.assertRegex(said, r"noise_sequential .* no: .*CMakeLists.txt:\d")
        file.write_text(good, encoding="utf-8")
        self.assertRegex(self.types("./thalweg list --app noise"), "noise_sequential .* yes")
        self.types("./thalweg delete-app noise --yes")
        self.types("./thalweg list --app primes")


unittest.main()
