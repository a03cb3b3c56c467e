"""What is mined as a way of searching, whole and in parts: the ablation."""

from __future__ import annotations

from mining._selection import modality_of
from mining.backtesting._ground import Ground
from mining.backtesting._methods import BestOfEach, Box, ColdTPE, GreedyPortfolio, Method, PolicySearch, RandomRows, Search
from mining.backtesting._sources import Sources
from mining.policies import SearchPolicy

_NEVER = 10**9


class Mined:
    """The search that AutoML makes of a document that was mined from the sources.

    Args:
        name: of the method.
        spaces: search the mined spaces; else the untuned ones.
        choice: try the chosen model types; else all.
        seeds: try the portfolio.
        adaptive: pick further seeds by what was seen, where the document says so.
        sampler: go on with TPE; else at random.
        repeats: searches a dataset and draw.

    """

    def __init__(
        self,
        name: str,
        *,
        spaces: bool = True,
        choice: bool = True,
        seeds: bool = True,
        adaptive: bool = True,
        sampler: bool = True,
        repeats: int = 1,
    ) -> None:
        self.name, self.repeats = name, repeats
        self._spaces, self._choice, self._seeds, self._adaptive, self._sampler = spaces, choice, seeds, adaptive, sampler

    def start(self, sources: Sources, ground: Ground, seed: int) -> Search:
        """Return a search under the parts of the document that are switched on."""
        mined = sources.document.modalities[modality_of(ground.task)].for_task(ground.task)
        wide = sources.table.wide
        order = [each for each in (mined.model_choice.order if self._choice else mined.model_types) if each in mined.model_types]
        spaces = {each: mined.model_types[each].space if self._spaces else wide[each] for each in order}
        policy = SearchPolicy(
            spaces,
            [each for each in mined.portfolio if each.model_type in spaces] if self._seeds else (),
            seed,
            order,
            direction=ground.direction,
            adaptive=mined.adaptive if self._adaptive and self._seeds else None,
            startup=10 if self._sampler else _NEVER,
        )
        return PolicySearch(policy, ground, spaces, seed)


def ours() -> list[Method]:
    """Return ours, and ours with each part left out or alone."""
    return [
        Mined("ours"),
        Mined("ours, fixed seeds", adaptive=False),
        Mined("ours, wide spaces", spaces=False, choice=False),
        Mined("seeds alone", spaces=False, choice=False, adaptive=False, sampler=False),
        Mined("spaces alone", choice=False, seeds=False, sampler=False, repeats=3),
        Mined("choice alone", spaces=False, seeds=False, sampler=False, repeats=3),
    ]


def peers() -> list[Method]:
    """Return the other ways of searching that need nothing beside this package."""
    return [RandomRows(), ColdTPE(), Box("min-max box", 1.0), Box("25-75 % box", 0.5), BestOfEach(), GreedyPortfolio()]
