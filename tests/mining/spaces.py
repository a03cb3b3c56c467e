"""Small search spaces that the tests of mining share."""

from heuristics_db import CategoricalDomain, Condition, FloatDomain, Hyperparameter, IntDomain, SearchSpace


def small_space(model_type: str = "concat") -> SearchSpace:
    """One hyperparameter of each kind, one conditional, one fixed, one with a prior."""
    return SearchSpace(
        model_type=model_type,
        hyperparameters=(
            Hyperparameter(name="trainer.learning_rate", domain=FloatDomain(low=1e-5, high=1e-1, log=True)),
            Hyperparameter(name="combiner.num_fc_layers", domain=IntDomain(low=0, high=4)),
            Hyperparameter(name="combiner.norm", domain=CategoricalDomain(choices=(None, "batch", True, 1)), weights=(1.0, 2.0, 0.0, 1.0)),
            Hyperparameter(
                name="combiner.size",
                domain=IntDomain(low=8, high=256, log=True),
                condition=Condition(parent="combiner.num_fc_layers", values=(1, 2, 3, 4)),
            ),
            Hyperparameter(name="trainer.optimizer.type", domain=CategoricalDomain(choices=("adam", "sgd")), searched=False, fixed="adam"),
        ),
    )
