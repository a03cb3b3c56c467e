"""The searcher that Ray Tune asks: it asks the mined (or untuned) search policy, and keeps the search's history."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ray.tune.search import Searcher

from automl._plan import Budget
from automl._trainable import FAULT, RESULT
from automl._trial import TrialResult
from mining.policies import Observation, SearchPolicy, Suggestion

_MOST_LOST = 3


class PolicySearcher(Searcher):
    """Hands out what ``policy`` says next, until the budget is spent or a fault ends the search.

    ``ended`` and ``origins`` hold the results and where their configurations came from, in the order in which trials ended. ``fault`` is
    what ended the search before its time.
    """

    def __init__(
        self, policy: SearchPolicy, budget: Budget, deadline: float | None, common: Any, on_result: Callable[[TrialResult], None]
    ) -> None:
        super().__init__(metric="score", mode="max")
        self._policy = policy
        self._budget = budget
        self._deadline = deadline
        self._common = common
        self._on_result = on_result
        self._history: dict[str, Observation] = {}
        self._suggestions: dict[str, Suggestion] = {}
        self._lost = 0
        self.ended: list[TrialResult] = []
        self.origins: list[str] = []
        self.fault: BaseException | None = None

    def suggest(self, trial_id: str) -> Any:
        """Return the next configuration, or that the search is over."""
        out_of_trials = self._budget.trials is not None and len(self._suggestions) >= self._budget.trials
        out_of_time = self._deadline is not None and bool(self._suggestions) and time.time() >= self._deadline
        if self.fault is not None or out_of_trials or out_of_time:
            return Searcher.FINISHED
        try:
            suggestion = self._policy.next(tuple(self._history.values()))
        except Exception as fault:  # Tune would swallow it; run_search raises it
            self.fault = fault
            return Searcher.FINISHED
        self._suggestions[trial_id] = suggestion
        self._history[trial_id] = Observation(suggestion.model_type, suggestion.configuration)
        return {"common": self._common, "model_type": suggestion.model_type, "hyperparameters": dict(suggestion.configuration)}

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Epochs are the scheduler's concern."""

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Take a trial's end into the history."""
        if result is not None and FAULT in result:
            self.fault = result[FAULT]
            return
        found: TrialResult | None = (result or {}).get(RESULT)
        if found is None or found.status == "preempted":
            self._history.pop(trial_id, None)  # it says nothing of the configuration
            self._lost += 1
            if self._lost >= _MOST_LOST and self.fault is None:
                self.fault = RuntimeError(f"{self._lost} trials of the search were lost: its processes were killed")
        else:
            suggestion = self._suggestions[trial_id]
            self._history[trial_id] = Observation(
                suggestion.model_type,
                suggestion.configuration,
                value=found.validation_score,
                epochs=len(found.curve),
                failed=found.validation_score is None,
            )
        if found is not None:
            self.ended.append(found)
            self.origins.append(self._suggestions[trial_id].origin)
            try:
                self._on_result(found)
            except Exception as fault:  # Tune would swallow it; run_search raises it
                self.fault = fault

    def save(self, checkpoint_path: str) -> None:
        """Keep nothing: the journal is the truth, and a search is short."""

    def restore(self, checkpoint_path: str) -> None:
        """Restore nothing."""
