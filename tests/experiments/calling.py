"""Commands called as people call them, in this process."""

import pytest

from experiments.commands._root import run


def datasets(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run ``lode datasets``: its exit code, and what it said on each of the two streams."""
    code = run(["datasets", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err
