"""The backtest: what is left out stays out, searches are replayed by look-up, figures do not depend on the order of rows."""

import numpy as np
import pandas as pd
import pytest

from mining import MiningError, MiningRecipe, trial_table
from mining.backtesting import (
    BacktestSettings,
    BestOfEach,
    Box,
    ColdTPE,
    GreedyPortfolio,
    Ground,
    RandomRows,
    backtest,
    build_finite_table,
    compare,
    draw_sources,
    mean_of,
    run_unit,
    units,
)
from mining.backtesting._run import replay
from tests.mining.worlds import SPACES, facts, learning_rate_matters, nothing_matters, records

RATE = "trainer.learning_rate"
PEERS = (RandomRows(), ColdTPE(), Box("min-max box", 1.0), Box("middle half", 0.5), BestOfEach(), GreedyPortfolio())


def table_of(loss=learning_rate_matters, tests=None, **how):
    rows = records(loss, **how)
    if tests is not None:
        rows = [each.model_copy(update={"test_score": tests(each)}) for each in rows]
    return build_finite_table(trial_table(rows, test_scores=tests is not None), facts(), SPACES)


class Scripted:
    """Tries given rows; notes what it is told."""

    def __init__(self, rows):
        self.rows, self.histories = rows, []

    def next(self, history, tried):
        self.histories.append(list(history))
        return self.rows[len(tried)]


def test_a_search_is_judged_by_the_test_score_of_the_row_with_the_best_validation_score():
    table = table_of(tests=lambda each: each.validation_score if each.trial_id.endswith("0003") else 1.5 - each.validation_score)
    assert all(table.tested)
    order = [int(row) for row in np.argsort(-table.validation[:, 0])]
    curve = replay(table, 0, Scripted(order), len(order))
    assert curve.tolist() == table.judged[order, 0].tolist()  # each row is better on validation than the one before
    best_first = replay(table, 0, Scripted(order[::-1]), 4)
    assert best_first.tolist() == [table.judged[order[-1], 0]] * 4


def test_searches_see_scores_in_the_datasets_own_metric():
    rows = records()
    table = build_finite_table(trial_table(rows), facts(), SPACES)
    for column, name in enumerate(table.datasets):
        own = sorted(each.validation_score for each in rows if each.dataset == name)
        assert sorted(table.score(row, column) for row in range(12)) == pytest.approx(own)
        search = Scripted(list(range(12)))
        replay(table, column, search, 3)
        assert [each.value for each in search.histories[2]] == [table.score(0, column), table.score(1, column)]


def test_regret_is_zero_at_the_best_of_the_whole_table_and_one_at_its_median():
    table = table_of(configurations=13)
    assert table.judged.min(axis=0) == pytest.approx(np.zeros(6))
    assert np.median(table.judged, axis=0) == pytest.approx(np.ones(6))


@pytest.mark.parametrize("shared", [True, False])
def test_sources_hold_no_trial_of_a_family_left_out_and_no_test_score(shared):
    rows = [each.model_copy(update={"test_score": 0.5}) for each in records(shared=shared)]
    twins = [each.model_copy(update={"family": "family-d0"}) if each.dataset == "d1" else each for each in rows]
    told = [fact if fact.name != "d1" else type(fact)(**{**fact.__dict__, "family": "family-d0"}) for fact in facts()]
    table = build_finite_table(trial_table(twins, test_scores=True), told, SPACES)
    planned = units(table, BacktestSettings(draws=1))
    assert sorted(each.left_out for each in planned) == [(0, 1), (2,), (3,), (4,), (5,)]
    sources = draw_sources(table, (0, 1), MiningRecipe(), configurations=7, shared=shared, seed=(0, 0))
    assert set(sources.trials["dataset"]) == {"d2", "d3", "d4", "d5"}
    assert "test_score" not in sources.trials
    assert set(sources.trials.groupby("dataset").size()) == {7}
    rates = {name: frozenset(own[f"param.{RATE}"]) for name, own in sources.trials.groupby("dataset")}
    assert (len(set(rates.values())) == 1) == shared


def test_each_draw_of_sources_is_another_and_the_same_again():
    table = table_of(configurations=30)

    def drawn(seed):
        found = draw_sources(table, (0,), MiningRecipe(), configurations=5, shared=True, seed=seed)
        return tuple(sorted(found.trials["trial_id"]))

    assert drawn((0, 1)) == drawn((0, 1))
    assert len({drawn((0, draw)) for draw in range(5)}) == 5


def test_figures_do_not_depend_on_the_order_of_rows():
    trials = trial_table(records(model_types=("concat", "tabnet"), configurations=8))
    settings = BacktestSettings(trials=6, draws=2, configurations=10)
    one = backtest(build_finite_table(trials, facts(), SPACES), PEERS, settings)
    shuffled = trials.sample(frac=1, random_state=1)
    two = backtest(build_finite_table(shuffled, list(reversed(facts())), SPACES), PEERS, settings)
    assert one.datasets == two.datasets
    for name in one.curves:
        np.testing.assert_array_equal(one.curves[name], two.curves[name])


def test_what_transfers_beats_random_rows_where_something_matters_and_not_in_noise():
    settings = BacktestSettings(trials=10, draws=1)
    found = backtest(table_of(configurations=40), PEERS, settings).curves
    assert found["greedy portfolio"][:, 0].mean() < 0.5 * found["random"][:, 0].mean()
    assert found["middle half"][:, 0].mean() < found["min-max box"][:, 0].mean() < found["random"][:, 0].mean()
    noise = backtest(table_of(nothing_matters, configurations=40), PEERS, settings).curves
    assert abs(noise["greedy portfolio"][:, 4].mean() - noise["random"][:, 4].mean()) < 0.4
    for curves in (*found.values(), *noise.values()):
        assert (np.diff(curves, axis=1) <= 1e-12).all()


def test_a_portfolio_never_saw_the_dataset_it_is_judged_on():
    # on d0 alone, one configuration is perfect: a portfolio that had seen it would begin with it
    rows = records(nothing_matters, configurations=20)
    changed = [each.model_copy(update={"validation_score": -9.0}) if each.trial_id == "d0-concat-0011" else each for each in rows]
    settings = BacktestSettings(trials=1, draws=1)
    curves = [
        backtest(build_finite_table(trial_table(each), facts(), SPACES), [GreedyPortfolio()], settings).curves["greedy portfolio"]
        for each in (rows, changed)
    ]
    before, after = [curve[0, 0] for curve in curves][::1]
    assert after > 0.5
    assert before != after  # the scale has moved, the row has not
    table, table2 = (build_finite_table(trial_table(each), facts(), SPACES) for each in (rows, changed))
    picks = [GreedyPortfolio().start(_sources(each), Ground(each, 0), 0).next([], []) for each in (table, table2)]
    assert picks[0] == picks[1]


def _sources(table):
    return draw_sources(table, (0,), MiningRecipe(), configurations=None, shared=True, seed=(0, 0))


def test_a_box_that_holds_no_row_is_stood_for_by_the_rows_nearest_to_it():
    # no row lies at the median of the good rates: the middle of them is cut out of the table
    rows = [each for each in records(configurations=40) if not 1e-4 < each.hyperparameters[RATE] < 1e-2]
    table = build_finite_table(trial_table(rows), facts(), SPACES)
    sources = draw_sources(table, (0,), MiningRecipe(), configurations=None, shared=True, seed=(0, 0))
    ground = Ground(table, 0)
    searches = {name: Box(name, share).start(sources, ground, 3) for name, share in (("wide", 1.0), ("point", 0.0))}
    firsts = {name: search.next([], []) for name, search in searches.items()}
    assert firsts["point"] != RandomRows().start(sources, ground, 3).next([], [])
    others = {Box("point", 0.0).start(sources, ground, seed).next([], []) for seed in range(5)}
    assert others == {firsts["point"]}  # one row lies nearest to a box that is a point, whatever the draw


def test_a_suggestion_between_rows_is_stood_for_by_the_nearest_untried_one():
    table = table_of(configurations=30)
    ground = Ground(table, 0)
    middle = dict(table.configurations[4])
    assert ground.nearest("concat", middle, set(), SPACES) == 4
    beside = {**middle, RATE: middle[RATE] * 1.001}
    assert ground.nearest("concat", beside, set(), SPACES) == 4
    assert ground.nearest("concat", beside, {4}, SPACES) not in {4, None}
    assert ground.nearest("concat", middle, set(range(30)), SPACES) is None
    assert ground.nearest("tabnet", middle, set(), SPACES) is None


def test_searches_longer_than_the_table_stay_where_they_are():
    found = backtest(table_of(configurations=4), [RandomRows(), ColdTPE()], BacktestSettings(trials=9, draws=1))
    for curves in found.curves.values():
        np.testing.assert_allclose(curves[:, 3:], 0.0, atol=1e-12)


def test_units_may_run_in_any_order():
    table = table_of()
    settings = BacktestSettings(trials=5, draws=1)
    whole = backtest(table, [GreedyPortfolio()], settings)
    for unit in reversed(units(table, settings)):
        part = run_unit(table, unit, [GreedyPortfolio()], settings, MiningRecipe())["greedy portfolio"]
        np.testing.assert_array_equal(part, whole.curves["greedy portfolio"][list(unit.left_out)])


def test_differences_are_paired_by_dataset():
    generator = np.random.default_rng(0)
    level = generator.uniform(0, 5, 40)
    theirs = np.column_stack([level, level])
    ours = theirs - np.column_stack([np.full(40, 0.1), generator.normal(0, 0.1, 40)])
    families = tuple(f"f{number}" for number in range(40))
    first = compare(ours, theirs, families, trials=1, margin=0.01, seed=0)
    assert (first.wins, first.ties, first.losses) == (40, 0, 0)
    assert first.difference.high == pytest.approx(-0.1)
    assert first.p < 1e-6
    assert first.ratio == pytest.approx(1 - 0.1 / level.mean())
    second = compare(ours, theirs, families, trials=2, margin=0.01, seed=0)
    assert second.difference.low < 0 < second.difference.high
    assert second.wins + second.ties + second.losses == 40


def test_a_family_of_many_datasets_counts_as_one():
    values = np.asarray([1.0] * 9 + [0.0])
    assert mean_of(values, ("many",) * 9 + ("one",), 0).mean == 0.5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table[table["dataset"] == "d0"], "needs datasets of at least two families"),
        (lambda table: table.assign(test_score=[0.5, *[None] * (len(table) - 1)]), "d0: 8% of its trials have a test score"),
        (lambda table: table.drop(columns="metric"), "lacks the column metric"),
    ],
)
def test_what_cannot_be_backtested_ends_in_one_clear_line(change, told):
    with pytest.raises(MiningError, match=told) as caught:
        backtest(build_finite_table(change(trial_table(records())), facts(), SPACES), [RandomRows()], BacktestSettings(trials=2))
    assert "\n" not in str(caught.value)


def test_a_backtest_of_no_trials_is_refused():
    with pytest.raises(MiningError, match="0 trials"):
        BacktestSettings(trials=0)


def test_repeated_seeds_are_averaged():
    rows = records(configurations=5)
    again = [each.model_copy(update={"seed": 1, "trial_id": each.trial_id + "-again"}) for each in rows]
    one = build_finite_table(trial_table(rows), facts(), SPACES)
    two = build_finite_table(trial_table([*rows, *again]), facts(), SPACES)
    np.testing.assert_allclose(one.judged, two.judged)
    assert isinstance(two.trials, pd.DataFrame)
    assert len(two.trials) == 2 * len(one.trials)
