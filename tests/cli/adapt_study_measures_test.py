"""How good a run is that adapts itself: all measures, of runs that are made up."""

import unittest
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from thalweg_cli.adapt_study.costs import ChangeCost, LoopCost, change_costs, loop_cost
from thalweg_cli.adapt_study.measures import (
    Saso,
    enough_replicas,
    middle_run,
    pareto,
    saso_in,
    typical,
    worst,
)
from thalweg_cli.adapt_study.observed import Change, Loop, MadeChange, Observed
from thalweg_cli.adapt_study.page import ablation
from thalweg_cli.adapt_study.scenarios import Compares, Phase, Scale, Scenario, scenario
from thalweg_cli.adapt_study.summary import cells, summary_of, table_of, tables_of
from thalweg_cli.adapt_study.ways import PARTS, Tried, Way

ALL = Phase(0, 10)


def a_run(
    *changes: tuple[float, int],
    began: int = 1,
    late: Sequence[int] = (0,) * 10,
    cpu_seconds: float = 2.0,
    seconds: int = 10,
) -> Observed:
    """A run with ten items a second, and windows of a second."""
    due = [10] * seconds
    return Observed(
        1.0,
        due,
        due,
        late,
        [1.0] * seconds,
        1.0,
        cpu_seconds,
        float(seconds),
        began,
        [Change(at, replicas) for at, replicas in changes],
    )


class OfOneRun(unittest.TestCase):
    """Settling, overshoot, accuracy, stability."""

    def test_goes_where_it_should_and_stays_there(self) -> None:
        found = saso_in(a_run((1.0, 2), (1.5, 4)), ALL, 4)
        self.assertEqual(found, Saso(settling=1.5, overshoot=0, accuracy=0, stability=0))

    def test_does_nothing(self) -> None:
        self.assertEqual(saso_in(a_run(), ALL, 1), Saso(0, 0, 0, 0))
        self.assertEqual(saso_in(a_run(), ALL, 4), Saso(0, 0, 3, 0))

    def test_goes_too_far_and_comes_back(self) -> None:
        found = saso_in(a_run((1.0, 8), (2.0, 6), (3.0, 5)), ALL, 4)
        self.assertEqual(found, Saso(settling=3, overshoot=4, accuracy=1, stability=0))

    def test_too_few_at_the_end(self) -> None:
        self.assertEqual(saso_in(a_run((1.0, 3)), ALL, 5).accuracy, 2)

    def test_never_settles(self) -> None:
        """Four changes in five seconds, which are half of the phase."""
        changes = [(0.5 + second, 2 + second % 2) for second in range(9)]
        found = saso_in(a_run(*changes), ALL, 2)
        self.assertIsNone(found.settling)
        self.assertEqual(found.stability, 4 * 12)
        self.assertEqual(found.overshoot, 1)

    def test_what_was_before_the_phase_is_not_of_its_making(self) -> None:
        run = a_run((1.0, 8), (6.0, 2))
        self.assertEqual(saso_in(run, Phase(5, 10), 2), Saso(1, 0, 0, 0))
        self.assertEqual(saso_in(run, Phase(0, 5), 8), Saso(1, 0, 0, 0))

    def test_a_change_at_the_border_is_of_the_phase_that_begins(self) -> None:
        run = a_run((5.0, 3))
        self.assertEqual(len(run.changes_in(0, 5)), 0)
        self.assertEqual(len(run.changes_in(5, 10)), 1)

    def test_more_than_enough_when_it_begins_and_more_still(self) -> None:
        self.assertEqual(saso_in(a_run((1.0, 7), began=6), ALL, 2).overshoot, 1)

    def test_late_items_are_those_of_the_phase(self) -> None:
        run = a_run(late=[10, 10, 0, 0, 0, 5, 0, 0, 0, 0])
        self.assertEqual(run.late_share, 0.25)
        self.assertEqual(run.late_share_in(0, 2), 1)
        self.assertEqual(run.late_share_in(2, 5), 0)
        self.assertEqual(run.late_share_in(5, 10), 0.1)

    def test_windows_begin_where_they_begin(self) -> None:
        """3 · 0.1 is a bit more than 0.3."""
        run = Observed(0.1, [1] * 10, [1] * 10, [0, 0, 0, 1, *[0] * 6], [], None, 1, 1)
        self.assertEqual(run.late_share_in(0, 0.3), 0)
        self.assertEqual(run.late_share_in(0.3, 0.4), 1)
        self.assertEqual(run.late_share_in(3 * 0.1, 4 * 0.1), 1)

    def test_means(self) -> None:
        run = a_run((5.0, 3), late=[1] * 10)
        self.assertEqual(run.mean_replicas, 2)
        self.assertEqual((run.items, run.items_late, run.late_share), (100, 10, 0.1))
        self.assertEqual((run.throughput, run.per_processor_second), (10, 50))
        self.assertEqual([run.replicas_at(moment) for moment in (0, 4.9, 5, 9)], [1, 1, 3, 3])

    def test_gaps_near_changes(self) -> None:
        """Each change's window and the next; what is behind the last window has none."""
        run = replace(a_run((1.5, 2), (4.0, 3), (99.0, 4)), gaps=[90, 20, 30, 10, 10, 50, 10, 10, 10, 10])
        self.assertEqual(run.gap_at_changes, 40)
        self.assertIsNone(replace(run, changes=()).gap_at_changes)


class OfSeveral(unittest.TestCase):
    """Runs, phases, ways."""

    def test_the_worst_of_phases(self) -> None:
        one, other = Saso(1, 0, 2, 0), Saso(3, 1, 0, 6)
        self.assertEqual(worst([one, other]), Saso(3, 1, 2, 6))
        self.assertEqual(worst([one, Saso(None, 0, 0, 6)]), Saso(None, 0, 2, 6))
        self.assertIsNone(worst([]))

    def test_the_median_of_runs(self) -> None:
        runs = [Saso(1, 0, 0, 0), Saso(2, 1, 0, 0), Saso(None, 5, 1, 30)]
        self.assertEqual(typical(runs), Saso(1.5, 1, 0, 0))
        self.assertEqual(typical([*runs, Saso(None, 5, 1, 30)]), Saso(None, 3, 0.5, 15))
        self.assertIsNone(typical([]))

    def test_enough_is_the_fewest_that_are_as_good(self) -> None:
        late = {1: 9, 2: 5, 3: 0, 4: 0}
        statics = {n: [a_run(late=[count] * 10)] for n, count in late.items()}
        self.assertEqual(enough_replicas(statics, ALL), 3)

    def test_where_more_does_not_help_one_is_enough(self) -> None:
        statics = {n: [a_run(late=[9] * 10)] for n in (1, 2, 3)}
        self.assertEqual(enough_replicas(statics, ALL), 1)

    def test_enough_is_by_the_median_run(self) -> None:
        """A single run in which the machine did something else does not count."""
        good, bad = a_run(), a_run(late=[9] * 10)
        self.assertEqual(enough_replicas({1: [good, bad, good], 2: [good] * 3}, ALL), 1)
        self.assertEqual(enough_replicas({1: [bad, bad, good], 2: [good] * 3}, ALL), 2)

    def test_enough_of_each_phase(self) -> None:
        statics = {1: [a_run(late=[0] * 5 + [9] * 5)], 2: [a_run()]}
        self.assertEqual([enough_replicas(statics, one) for one in (Phase(0, 5), Phase(5, 10))], [1, 2])

    def test_nobody_is_ahead_of_these(self) -> None:
        points = {
            "few": (1.0, 50.0),
            "costly": (4.0, 0.0),
            "good": (2.0, 0.0),
            "bad": (3.0, 60.0),
            "same": (2.0, 0.0),
        }
        self.assertEqual(pareto(points), ["few", "good", "same"])
        self.assertEqual(pareto({}), [])

    def test_the_run_that_is_shown(self) -> None:
        runs = [a_run(late=[n] * 10) for n in (9, 1, 5)]
        self.assertIs(middle_run(runs), runs[2])
        self.assertIs(middle_run(runs[:2]), runs[1])


class Costs(unittest.TestCase):
    """Of one change, and of the loop."""

    def run_with(self, *script: MadeChange) -> Observed:
        """From two replicas on; a change leads to a gap, and to items that come later."""
        run = a_run(*((one.at, one.replicas) for one in script), began=2)
        gaps = [9, 1, 1, 7, 1, 1, 2, 30, 1, 1]
        return replace(run, script=script, gaps=gaps, done=[10, 10, 10, 6, 14, 10, 10, 10, 10, 10])

    def test_one_more_and_one_fewer(self) -> None:
        run = self.run_with(MadeChange(3, 3, 0.5, 2.5), MadeChange(6, 2, 0.25, 99))
        more, fewer = change_costs("a", [run, run])
        self.assertEqual(more, ChangeCost("a", True, 2, 0.5, 2.5, 7, 7, 1, 40))
        self.assertEqual(fewer, ChangeCost("a", False, 2, 0.25, None, 30, 30, 1, 0))

    def test_the_next_change_ends_what_is_looked_at(self) -> None:
        """The window of the first has lost 4 of 10 items, which come in that of the second."""
        run = self.run_with(MadeChange(1.5, 3, 1, 1), MadeChange(2, 2, 1, None))
        costs = change_costs("a", [replace(run, window=0.5)])
        self.assertEqual([round(one.lost) for one in costs], [40, -20])

    def test_the_longest_gap_of_several_changes(self) -> None:
        run = self.run_with(*(MadeChange(at, n, 1, 1) for at, n in ((3, 3), (4, 2), (6, 3), (8, 2))))
        more, fewer = change_costs("a", [run])
        self.assertEqual((more.gap, more.most), (18.5, 30))
        self.assertEqual((fewer.gap, fewer.most), (1, 1))

    def test_no_change_has_no_cost(self) -> None:
        self.assertEqual(change_costs("a", [a_run()]), [])
        # Behind the end of the load.
        self.assertEqual(change_costs("a", [self.run_with(MadeChange(99, 3, 1, None))]), [])

    def test_gaps_without_a_change(self) -> None:
        """Neither of the first window, nor of the last one, nor of those of the change."""
        self.assertEqual(self.run_with(MadeChange(6.5, 3, 1, 1)).quiet_gaps, [1, 1, 7, 1, 1, 1])

    def test_the_loop(self) -> None:
        runs = [replace(a_run(), loop=Loop(part, part / 2, part / 10)) for part in (0.1, 0.2, 0.9)]
        self.assertEqual(loop_cost("a", runs), LoopCost("a", 2, 1, 0.2))
        self.assertIsNone(loop_cost("a", [a_run()]))


class Rows(unittest.TestCase):
    """What a scenario comes to."""

    def tried(self) -> list[Tried]:
        """One replica is too few after the step, three are too many."""
        too_late = [0] * 4 + [9] * 6
        return [
            Tried(Way(1), [a_run(late=too_late, cpu_seconds=1)]),
            Tried(Way(2), [a_run(began=2, cpu_seconds=2)]),
            Tried(Way(3), [a_run(began=3, cpu_seconds=3)]),
            Tried(Way(planner="good"), [a_run((5.0, 2), late=[0, 0, 0, 0, 1] + [0] * 5, cpu_seconds=1.5)]),
            Tried(Way(planner="idle"), [a_run(late=too_late, cpu_seconds=1.25)]),
            Tried(Way(planner="none yet")),
        ]

    def scenario(self) -> Scenario:
        """Its load steps up at 4 s."""
        return Scenario("step", "a step", "1", 10, (), (Phase(0, 4), Phase(4, 10)))

    def test_rows(self) -> None:
        found = summary_of(self.scenario(), self.tried())
        self.assertEqual(found.enough, [1, 2])
        rows = {row.name: row for row in found.rows}
        self.assertEqual(list(rows), ["1 replica", "2 replicas", "3 replicas", "good", "idle"])
        assert found.best_fixed is not None
        self.assertEqual(found.best_fixed.name, "2 replicas")
        self.assertEqual(rows["good"].saso, Saso(1, 0, 0, 0))
        self.assertEqual(rows["idle"].saso, Saso(0, 0, 1, 0))
        self.assertIsNone(rows["2 replicas"].saso)
        self.assertEqual(
            [name for name, row in rows.items() if row.is_ahead], ["1 replica", "2 replicas", "good"]
        )

    def test_cells(self) -> None:
        rows = summary_of(self.scenario(), self.tried()).rows
        self.assertEqual(cells(rows[3]), ["1", "1", "10", "1.5", "66.7", "1.5", "1", "-", "1", "0", "0", "0"])
        self.assertEqual(cells(rows[1])[-4:], ["-"] * 4)

    def test_a_table_fits_into_120_columns(self) -> None:
        """With the longest name of a planner, and all values that are wide."""
        changes = [(second + 0.123, 10 + second % 2) for second in range(10)]
        wide = a_run(*changes, late=[9] * 10, cpu_seconds=0.00123)
        long = replace(wide, p99_ms=12345.6, elapsed=0.01, gaps=[12.345] * 10)
        table = table_of(summary_of(self.scenario(), [*self.tried(), Tried(Way(planner="a" * 18), [long])]))
        console = Console(width=200)
        self.assertLessEqual(console.measure(table).maximum, 120)
        changed = replace(
            long, script=[MadeChange(1, 2, 12345.6, 12345.6), MadeChange(5, 1, 1, None)], loop=Loop(9, 1, 1)
        )
        tried = [Tried(Way(2, called="pool:128"), [changed])]
        _, of_changes, of_loops = tables_of(summary_of(self.scenario(), tried))
        for one in (of_changes, of_loops):
            self.assertLessEqual(console.measure(one).maximum, 120)

    def test_never_settled(self) -> None:
        tried = [*self.tried(), Tried(Way(planner="restless"), [a_run((9.0, 2))])]
        self.assertEqual(cells(summary_of(self.scenario(), tried).rows[-1])[-4:], ["never", "0", "0", "20"])

    def test_a_load_that_never_stays_has_no_phases(self) -> None:
        found = summary_of(scenario("wave", Scale(10, 1000)), self.tried())
        self.assertEqual((found.enough, [row.saso for row in found.rows]), ([], [None] * 5))

    def test_what_planners_may_change(self) -> None:
        """The fewer things, the more items are late."""
        scenario = replace(self.scenario(), compares=Compares.BATCHES)
        tried = [
            Tried(Way(planner="good", note=note), [a_run(late=[count] * 10, cpu_seconds=count)])
            for count, note in enumerate(PARTS.values(), 1)
        ]
        found = ablation(summary_of(scenario, tried), tried)
        assert found is not None
        self.assertEqual(found["parts"], ["neither", "batches", "replicas", "both"])
        self.assertEqual((found["late"], found["cpu"]), ([[40], [30], [20], [10]], [[4], [3], [2], [1]]))
        self.assertIsNone(ablation(summary_of(self.scenario(), tried), tried))

    def test_enough_with_the_best_interval(self) -> None:
        """One replica is enough with one of its intervals."""
        late = [9] * 10
        tried = [
            Tried(Way(1, note="5 ms"), [a_run(late=late)]),
            Tried(Way(1, note="20 ms"), [a_run()]),
            Tried(Way(2, note="5 ms"), [a_run()]),
        ]
        self.assertEqual(summary_of(self.scenario(), tried).enough, [1, 1])
        self.assertEqual(summary_of(self.scenario(), [tried[0], tried[2]]).enough, [2, 2])

    def test_planners_alone(self) -> None:
        found = summary_of(self.scenario(), self.tried()[3:])
        self.assertEqual((found.enough, found.best_fixed), ([], None))


if __name__ == "__main__":
    unittest.main()
