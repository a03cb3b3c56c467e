"""Ray Tune: a Python module with ``PARAM_SPACE`` and ``POINTS_TO_EVALUATE``, by model type."""

from __future__ import annotations

from heuristics_db._spaces import CategoricalDomain, Hyperparameter, IntDomain
from heuristics_db.exporting._source import Export, Source, complete, lost, searched, settled

HEAD = '''"""Search spaces and seeds of heuristics version {version}, for Ray Tune.

    tuner = tune.Tuner(
        trainable,
        param_space=PARAM_SPACE["{first}"],
        tune_config=tune.TuneConfig(
            search_alg=BasicVariantGenerator(points_to_evaluate=POINTS_TO_EVALUATE["{first}"]), num_samples=TRIALS
        ),
    )
"""

from ray import tune

PLACE = {place!r}
MODEL_TYPES = {order!r}
TRIALS = {trials!r}
EPOCHS = {epochs!r}
EARLY_STOPPING = {stopping!r}
"""For ASHAScheduler, in epochs; without a reduction factor nothing is stopped."""
'''


def ray_export(source: Source) -> Export:
    """Return the module: a domain of ``ray.tune`` for each searched hyperparameter, plain values for the others, and full seeds."""
    heuristics, policy = source.heuristics, source.heuristics.early_stopping
    stopping = {"grace_period": policy.grace_period, "reduction_factor": policy.reduction_factor, "max_t": policy.max_epochs}
    limits = {"trials": heuristics.limits.trials, "epochs": heuristics.limits.epochs}
    order = tuple(heuristics.model_choice.order)
    text = HEAD.format(version=source.version, first=order[0], place=source.place, order=order, stopping=stopping, **limits)
    spaces, points = ["", "PARAM_SPACE = {"], ["", "POINTS_TO_EVALUATE = {"]
    notes: list[str] = []
    for model_type in source.ordered:
        space = heuristics.model_types[model_type].space
        notes += lost(f"{source.place}.{model_type}", space, conditions=True)
        spaces += [f"    {model_type!r}: {{"]
        spaces += [f"        {each.name!r}: tune.{_call(each)}," for each in searched(space)]
        spaces += [f"        {name!r}: {value!r}," for name, value in settled(space).items()]
        spaces += ["    },"]
        points += [f"    {model_type!r}: ["]
        points += [f"        {complete(space, seed.configuration)!r}," for seed in source.seeds(model_type)]
        points += ["    ],"]
    text += "\n".join([*spaces, "}", *points, "}", ""])
    return Export(files={"heuristics_for_ray.py": text.encode()}, notes=tuple(notes))


def _call(hyperparameter: Hyperparameter) -> str:
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return f"choice({list(domain.choices)!r})"
    if isinstance(domain, IntDomain):  # whose upper end Ray leaves out
        return f"{'lograndint' if domain.log else 'randint'}({domain.low!r}, {domain.high + 1!r})"
    return f"{'loguniform' if domain.log else 'uniform'}({domain.low!r}, {domain.high!r})"
