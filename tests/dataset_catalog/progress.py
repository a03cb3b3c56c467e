"""A progress that keeps what it is told."""


class Told:
    """The sentences, and of what how many bytes are there, in the order in which they were told."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.bytes: list[tuple[str, int, int | None]] = []

    def __call__(self, sentence: str, /) -> None:
        self.sentences.append(sentence)

    def received(self, what: str, done: int, total: int | None) -> None:
        self.bytes.append((what, done, total))
