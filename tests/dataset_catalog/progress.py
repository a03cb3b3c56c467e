"""A progress that keeps what it is told."""

from collections.abc import Callable


class Told:
    """The sentences, and of what how many bytes are there, in the order in which they were told; ``heard`` is called with each sentence."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.bytes: list[tuple[str, int, int | None]] = []
        self.heard: Callable[[str], object] = lambda sentence: None

    def __call__(self, sentence: str, /) -> None:
        self.sentences.append(sentence)
        self.heard(sentence)

    def received(self, what: str, done: int, total: int | None) -> None:
        self.bytes.append((what, done, total))
