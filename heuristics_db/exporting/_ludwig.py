"""Ludwig's own AutoML: a folder to lay over ``ludwig/automl/defaults``, written so that its seed transfer works in spite of itself.

What is broken there (Ludwig 0.17) and what is done about it stands in ``docs/reference/exports.md``, fault by fault; the letters here are
those of that list.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from heuristics_db._errors import HeuristicsError
from heuristics_db._places import figure
from heuristics_db._spaces import CategoricalDomain, Hyperparameter, IntDomain, Scalar, SearchSpace, SeedConfiguration
from heuristics_db.exporting._source import Export, Source, complete, lost, resting, searched, settled

READ = ("concat", "tabnet", "transformer", "ft_transformer", "tabtransformer")
"""The combiners whose files ``ludwig.automl`` reads."""

ALWAYS_MERGED = "ft_transformer"
"""Whose file Ludwig merges below that of every other combiner (fault E)."""

ROOTS = ("combiner", "trainer")
Nested = dict[str, Any]


def ludwig_export(source: Source) -> Export:
    """Return the folder's files: ``combiner/*_config.yaml``, ``reference_configs.yaml``, ``user_config/*.yaml`` and ``README.md``."""
    if not source.place.startswith("tabular"):
        raise HeuristicsError("ludwig.automl reads search spaces of tables only: export the tabular heuristics (--modality tabular)")
    read = [name for name in source.ordered if name in READ]
    if not read:
        raise HeuristicsError(f"ludwig.automl reads none of {', '.join(source.ordered)}: it knows {', '.join(READ)}")
    notes = [f"{source.place}.{name}: left out, ludwig.automl reads no file for it" for name in source.ordered if name not in READ]
    files: dict[str, Any] = {}
    for name in read:
        space = source.heuristics.model_types[name].space
        notes += lost(f"{source.place}.{name}", space, conditions=True)
        files[f"combiner/{name}_config.yaml"] = _combiner(source, name)
        files[f"user_config/{name}.yaml"] = {"combiner": {"type": name} | _silenced(source, name)}
    files["reference_configs.yaml"] = {"datasets": [each for name in read for each in _references(source, name)]}
    written = {name: _yaml(source, data) for name, data in files.items()}
    return Export(files=written | {"README.md": _readme(source, read[0], notes).encode()}, notes=tuple(notes))


def _combiner(source: Source, model_type: str) -> Nested:
    """Return the first seed as the defaults, the space as ``hyperopt.parameters``, every seed as a point to evaluate."""
    heuristics = source.heuristics
    space, seeds = heuristics.model_types[model_type].space, source.seeds(model_type)
    first = complete(space, seeds[0].configuration if seeds else {}) | settled(space)
    epochs, policy = heuristics.limits.epochs, heuristics.early_stopping
    # Ludwig refuses a scheduler in epochs whose end is not the trainer's.
    stopping: Nested = {"time_attr": "training_iteration", "max_t": epochs, "grace_period": min(policy.grace_period, epochs)}
    if policy.reduction_factor is None:
        stopping["grace_period"] = epochs
    else:
        stopping["reduction_factor"] = policy.reduction_factor
    return _nested(first | {"trainer.epochs": epochs}, {"combiner": {"type": model_type}}) | {
        "hyperopt": {
            "parameters": {each.name: _parameter(each, seeds) for each in searched(space)},
            "search_alg": {"type": "variant_generator", "points_to_evaluate": [_point(space, seed) for seed in seeds]},  # fault A
            "executor": {
                "type": "ray",
                "num_samples": max(heuristics.limits.trials, len(seeds)),
                "max_concurrent_trials": None,  # fault D
                "scheduler": {"type": "async_hyperband", **stopping},
            },
        }
    }


def _parameter(hyperparameter: Hyperparameter, seeds: list[SeedConfiguration]) -> Nested:
    domain = hyperparameter.domain
    if isinstance(domain, CategoricalDomain):
        return {"space": "choice", "categories": list(domain.choices)}
    if isinstance(domain, IntDomain):  # whose upper end Ray leaves out
        found: Nested = {"space": "lograndint" if domain.log else "randint", "lower": domain.low, "upper": domain.high + 1}
    else:
        found = {"space": "loguniform" if domain.log else "uniform", "lower": domain.low, "upper": domain.high}
    given = (seed.configuration.get(hyperparameter.name) for seed in seeds)
    values = sorted({value for value in given if isinstance(value, int | float)})
    return found | {"categories": values or [domain.low]}  # fault B


def _point(space: SearchSpace, seed: SeedConfiguration) -> dict[str, Scalar]:
    """Return a seed as the search compares it: Ludwig gives Ray its choices as JSON text, unless the first one is a number (fault C)."""
    full = complete(space, seed.configuration)
    return {each.name: json.dumps(full[each.name]) if _as_text(each) else full[each.name] for each in searched(space)}


def _as_text(hyperparameter: Hyperparameter) -> bool:
    domain = hyperparameter.domain
    return isinstance(domain, CategoricalDomain) and not isinstance(domain.choices[0], int | float)


def _references(source: Source, model_type: str) -> list[Nested]:
    """Return the seeds as ``use_reference_config`` reads them, best last: of equally near ones Ludwig takes the last (fault F)."""
    space, datasets = source.heuristics.model_types[model_type].space, {each.name: each for each in source.datasets}
    found = []
    for position, seed in enumerate(source.seeds(model_type)):
        known = [datasets[name] for name in seed.best_on if name in datasets]
        text = [each.name for each in searched(space) if _as_text(each)]
        values = {name: value for name, value in seed.configuration.items() if name not in text}  # fault C
        features = [{"name": "a_number", "type": "number"}, {"name": "a_category", "type": "category"}]
        config = _nested(values, {"combiner": {"type": model_type}, "trainer": {}})
        target = {"name": "target", "type": "number" if source.task == "regression" else "category"}
        entry: Nested = {"name": f"{model_type} seed {position}", "best_on": list(seed.best_on)}
        if known:
            entry |= {"metric": known[0].metric, "training_rows": known[0].rows}
        found.append(
            entry | {"config": {"input_features": features, "output_features": [target], **config}, "seed": dict(seed.configuration)}
        )
    return found[::-1]


def _silenced(source: Source, model_type: str) -> Nested:
    """Name those parameters of the always merged combiner that are not another's: Ludwig then leaves them alone (fault E)."""
    if model_type == ALWAYS_MERGED or ALWAYS_MERGED not in source.heuristics.model_types:
        return {}
    merged = source.heuristics.model_types[ALWAYS_MERGED].space
    own = {each.name for each in source.heuristics.model_types[model_type].space.hyperparameters}
    foreign = [each for each in searched(merged) if each.name not in own and each.name.count(".") == 1]
    return {each.name.removeprefix("combiner."): resting(each) for each in foreign if each.name.startswith("combiner.")}


def _nested(values: dict[str, Scalar], into: Nested) -> Nested:
    """Put dotted paths into a configuration."""
    for path, value in values.items():
        *parents, last = path.split(".")
        place: Any = into
        if not parents or parents[0] not in ROOTS or path == "combiner.type":
            raise HeuristicsError(f"{figure(path)} can't be exported: Ludwig's combiners have files for {' and '.join(ROOTS)} alone")
        for name in parents:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise HeuristicsError(f"{figure(path)} can't be exported: it runs through another hyperparameter's value")
        if isinstance(place.get(last), dict):
            raise HeuristicsError(f"{figure(path)} can't be exported: others lie below it")
        place[last] = value
    return into


def _yaml(source: Source, data: Nested) -> bytes:
    plain = json.loads(json.dumps(data))  # nothing shared, or YAML would write references
    return (
        f"# {source.place} of heuristics version {source.version}\n" + yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    ).encode()


def _readme(source: Source, first: str, notes: list[str]) -> str:
    told = "\n".join(f"- {note}" for note in notes) or "- nothing"
    return f"""# Heuristics for Ludwig's AutoML

{source.place} of heuristics version {source.version}. Lay `combiner/` and `reference_configs.yaml` over those in `ludwig/automl/defaults`:

    cp -r combiner reference_configs.yaml "$(python -c 'import ludwig, os; print(os.path.dirname(ludwig.__file__))')/automl/defaults/"

Then

    auto_train(dataset, target, time_limit_s, user_config=yaml.safe_load(open("user_config/{first}.yaml")))

tries the seeds first. Leave `use_reference_config` off: it replaces all seeds by a single one.

What could not be told to Ludwig:

{told}
"""
