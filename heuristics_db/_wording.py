"""How parts of a document read to people: domains, seeds, policies, evidence, each in a few words."""

from __future__ import annotations

from heuristics_db._document import EarlyStoppingPolicy, ModelChoice, ResourceModel, TrialLimits
from heuristics_db._places import figure, shortened
from heuristics_db._spaces import CategoricalDomain, Domain, Evidence, Hyperparameter, Scalar, SeedConfiguration

LONGEST = 200


def domain_text(domain: Domain) -> str:
    """Write where a hyperparameter may lie: ``0.001 … 0.05 (log)``, or its choices."""
    if isinstance(domain, CategoricalDomain):
        return shortened(", ".join(_choice(choice) for choice in domain.choices), LONGEST)
    return f"{figure(domain.low)} … {figure(domain.high)}{' (log)' if domain.log else ''}"


def hyperparameter_text(hyperparameter: Hyperparameter) -> str:
    """Write where a hyperparameter may lie, or what it is fixed at."""
    return domain_text(hyperparameter.domain) if hyperparameter.searched else f"fixed at {_choice(hyperparameter.fixed)}"


def seed_text(seed: SeedConfiguration) -> str:
    """Write a seed's configuration in one line, numbers with four digits."""
    values = (
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={_choice(value)}" for name, value in seed.configuration.items()
    )
    return " ".join(values)


def stopping_text(policy: EarlyStoppingPolicy) -> str:
    """Write what an early-stopping policy does."""
    if policy.reduction_factor is None:
        return f"stops nothing, {policy.max_epochs} epochs"
    return f"from epoch {policy.grace_period}, one in {policy.reduction_factor:g} goes on, {policy.max_epochs} epochs at most"


def limits_text(limits: TrialLimits) -> str:
    """Write how much a search is worth."""
    return f"{limits.trials} trial{'' if limits.trials == 1 else 's'} of {limits.epochs} epochs"


def choice_text(choice: ModelChoice) -> str:
    """Write the model types that are searched, best first."""
    return ", ".join(choice.order)


def resources_text(model: ResourceModel) -> str:
    """Write a resource model's law."""
    law = f"log seconds per epoch = {model.intercept:.4g} + {model.rows:.4g} log rows + {model.columns:.4g} log columns"
    return f"{law} (careful: + {model.upper:.4g}); {model.peak_memory_bytes // 2**20} MiB at most"


def evidence_text(evidence: Evidence | None) -> str:
    """Write what a choice rests on, in one line; empty where nothing is told."""
    if evidence is None:
        return ""
    interval = f" ({evidence.interval[0]:+.3g} … {evidence.interval[1]:+.3g})" if evidence.interval else ""
    effect = "" if evidence.effect is None else f": {evidence.effect:+.3g}{interval} {evidence.unit}"
    return f"{evidence.method}, {evidence.trials} trials, {len(evidence.datasets)} datasets{effect}"


def _choice(value: Scalar) -> str:
    return value if isinstance(value, str) else figure(value)
