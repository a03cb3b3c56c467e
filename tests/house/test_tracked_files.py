"""What the repository's files must not hold."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# put together here, so that this file does not name them either
HOSTS = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("registry", "npmjs"), ("deb", "debian", "org"))]
REGISTRY = re.compile("|".join(map(re.escape, HOSTS)) + r"|index-url[ =]+['\"]?\w+:", re.IGNORECASE)
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+)/\w")


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file() and path != Path(__file__)]


@pytest.mark.parametrize("pattern", [REGISTRY, MACHINE], ids=["registry hosts", "paths of one machine"])
def test_no_file_names(pattern):
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []


def test_every_requirement_is_pinned():
    for name in ("runtime", "dev", "uv"):
        for line in (ROOT / f"requirements/{name}.txt").read_text().splitlines():
            if line and not line.startswith("#"):
                assert re.match(r"^[\w.-]+==[\w.!+-]+( ;.*)?$", line), line
