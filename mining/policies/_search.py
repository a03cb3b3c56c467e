"""The search that AutoML and the backtest both run: the portfolio's seeds, adaptive seeds where they were mined, then Optuna's TPE."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from heuristics_db import AdaptiveCandidate, AdaptiveSeeds, HeuristicsError, InvariantError, Scalar, SearchSpace, SeedConfiguration
from mining.policies._adaptive import AdaptivePicker
from mining.policies._distributions import asked, told_trial
from mining.policies._drawing import draw_configurations
from mining.policies._history import Direction, Observation, Suggestion, configuration_key

if TYPE_CHECKING:
    import optuna

_MODEL_TYPE = "model_type"
_REDRAWS = 8


class SearchPolicy:
    """Says what to try next, from the history alone: any number of calls, in any process, give the same answer for the same history.

    The seeds of ``portfolio`` come first, in their order; with ``adaptive`` seeds, only as many of them as those say, and then candidates
    picked by what was seen, until as many trials as those say. Then ``startup`` trials in all are filled up with random draws that
    follow the spaces' priors and take the model types in turn; then a tree-structured Parzen estimator (Bergstra et al., 2011;
    multivariate, grouped by model type: Optuna's) proposes model type and configuration together, having been told every trial, seeds and
    failures included.

    Args:
        spaces: search space of each model type.
        portfolio: seeds, in the order in which to try them.
        seed: of the sampler.
        model_order: the model types that may be tried, best first; all of them in ``spaces``.
        direction: whether more or less of the validation score is better.
        adaptive: the mined model of how datasets differ in the candidates; ``None`` for fixed seeds alone.
        startup: number of trials (seeds included) before the estimator takes over.

    Raises:
        InvariantError: a seed or a candidate does not lie in its space.
        HeuristicsError: ``model_order`` is empty or names a model type without a space.

    """

    def __init__(
        self,
        spaces: Mapping[str, SearchSpace],
        portfolio: Sequence[SeedConfiguration],
        seed: int,
        model_order: Sequence[str],
        *,
        direction: Direction,
        adaptive: AdaptiveSeeds | None = None,
        startup: int = 10,
    ) -> None:
        missing = [each for each in model_order if each not in spaces]
        if missing or not model_order:
            raise HeuristicsError(f"no search space for {', '.join(missing)}" if missing else "no model type to search")
        for position, each in enumerate(portfolio, 1):
            problem = spaces[each.model_type].misfit(each.configuration) if each.model_type in spaces else "it has no search space"
            if problem:
                raise InvariantError(f"seed {position} ({each.model_type}) cannot be tried: {problem}")
        self._spaces = dict(spaces)
        self._portfolio = tuple(portfolio)
        self._seed = seed
        self._order = tuple(dict.fromkeys(model_order))
        self._direction: Direction = direction
        self._startup = startup
        self._adaptive = adaptive
        self._picker = None if adaptive is None else AdaptivePicker(adaptive, {each: self._spaces[each] for each in self._order})

    def next(self, history: Sequence[Observation]) -> Suggestion:
        """Return what to try after ``history`` (running trials included). Repeats a configuration only when new ones can't be found.

        Raises:
            InvariantError: a configuration of the history lies outside the spaces.

        """
        tried = {configuration_key(each.model_type, each.configuration) for each in history}
        seed = self._seed_after(history, tried)
        if seed is not None:
            return seed
        suggestion = None
        for attempt in range(_REDRAWS):
            draw_seed = int(np.random.SeedSequence([self._seed, len(history), attempt]).generate_state(1)[0])
            # an estimator that keeps proposing what was tried has nothing left to say: the second half of the attempts is random
            if len(history) < self._startup or attempt >= _REDRAWS // 2:
                suggestion = self._random(history, draw_seed)
            else:
                suggestion = self._estimate(history, draw_seed)
            if configuration_key(suggestion.model_type, suggestion.configuration) not in tried:
                return suggestion
        return suggestion or self._random(history, self._seed)

    def _seed_after(self, history: Sequence[Observation], tried: Collection[str]) -> Suggestion | None:
        """Return the next seed, fixed or adaptive; ``None`` when it is the sampler's turn."""
        if self._adaptive is None or self._picker is None:
            return _first_untried(self._portfolio, tried)
        if len(history) >= self._adaptive.until:
            return None
        picked = None if len(history) < self._adaptive.after else self._picker.next(history, self._direction)
        if picked is not None:
            return Suggestion(picked.model_type, dict(picked.configuration), "adaptive")
        return _first_untried((*self._portfolio, *self._picker.candidates), tried)

    def _random(self, history: Sequence[Observation], seed: int) -> Suggestion:
        counts = {model_type: sum(each.model_type == model_type for each in history) for model_type in self._order}
        model_type = min(self._order, key=lambda each: counts[each])
        return Suggestion(model_type, draw_configurations(self._spaces[model_type], 1, seed=seed)[0], "sampler")

    def _estimate(self, history: Sequence[Observation], seed: int) -> Suggestion:
        import optuna

        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # multivariate and group are marked experimental; that is no news to the user
                sampler = optuna.samplers.TPESampler(multivariate=True, group=True, constant_liar=True, n_startup_trials=1, seed=seed)
                study = optuna.create_study(direction=self._direction, sampler=sampler)
                study.add_trials([self._told(each, history) for each in history])
                return self._ask(study.ask())
        finally:
            optuna.logging.set_verbosity(verbosity)

    def _ask(self, trial: optuna.Trial) -> Suggestion:
        model_type = self._order[0]
        if len(self._order) > 1:
            model_type = trial.suggest_categorical(_MODEL_TYPE, self._order)
        space = self._spaces[model_type]
        configuration: dict[str, Scalar] = {}
        for each in space.hyperparameters:
            if each not in space.active(configuration):
                continue
            configuration[each.name] = asked(trial, f"{model_type}/{each.name}", each) if each.searched else each.fixed
        return Suggestion(model_type, configuration, "sampler")

    def _told(self, observation: Observation, history: Sequence[Observation]) -> optuna.trial.FrozenTrial:
        import optuna

        space = self._spaces.get(observation.model_type)
        problem = space.misfit(observation.configuration) if space else f"{observation.model_type} has no search space"
        if problem or space is None:
            raise InvariantError(f"the history holds a {observation.model_type} trial that lies outside its space: {problem}")
        searched = [each for each in space.active(observation.configuration) if each.searched]
        trial = told_trial(searched, observation.configuration, self._value(observation, history), prefix=f"{space.model_type}/")
        if len(self._order) > 1 and observation.model_type in self._order:
            choice = optuna.distributions.CategoricalDistribution(self._order)
            trial.params = {**trial.params, _MODEL_TYPE: observation.model_type}
            trial.distributions = {**trial.distributions, _MODEL_TYPE: choice}
        return trial

    def _value(self, observation: Observation, history: Sequence[Observation]) -> float | None:
        if not observation.failed:
            return observation.value
        seen = [each.value for each in history if each.value is not None and not each.failed]
        if not seen:
            return 0.0  # nothing but failures: any one value says that they are alike
        return min(seen) if self._direction == "maximize" else max(seen)


def _first_untried(seeds: Sequence[SeedConfiguration | AdaptiveCandidate], tried: Collection[str]) -> Suggestion | None:
    untried = (each for each in seeds if configuration_key(each.model_type, each.configuration) not in tried)
    return next((Suggestion(each.model_type, dict(each.configuration), "seed") for each in untried), None)
