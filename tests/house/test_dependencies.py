"""What the code imports is declared, pinned and explained; what is declared is told in docs/dependencies.md."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"dataset_catalog", "heuristics_db", "mining", "automl", "experiments"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return {canonical(re.match(r"[\w.-]+", line).group()) for line in lines}


def imported() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for package in ["datasets/dataset_catalog", "heuristics_db", "mining", "automl", "experiments"]:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                    names = [node.module]
                found.update((name.split(".")[0], path.relative_to(ROOT)) for name in names)
    return {name: path for name, path in found.items() if name not in OURS and name not in sys.stdlib_module_names}


def test_what_is_imported_is_declared():
    distributions = packages_distributions()
    for name, path in imported().items():
        assert {canonical(dist) for dist in distributions.get(name, [name])} & declared(), f"{path} imports {name}, which is not declared"


def test_what_is_declared_is_pinned_and_told():
    pinned = {canonical(line.partition("==")[0]) for line in (ROOT / "requirements/runtime.txt").read_text().splitlines() if "==" in line}
    told = (ROOT / "docs/dependencies.md").read_text()
    for name in declared():
        assert name in pinned, name
        assert re.search(rf"\b{re.escape(name)}\b", told), f"{name} is not told in docs/dependencies.md"
