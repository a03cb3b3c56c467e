"""The floors that import-linter's contracts cannot tell."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return names


def test_the_policies_stand_on_nothing_else_of_mining():
    for path in (ROOT / "mining" / "policies").rglob("*.py"):
        strays = {name for name in imported(path) if name.split(".")[0] == "mining" and not name.startswith("mining.policies")}
        assert not strays, f"{path.name} imports {sorted(strays)}"


def test_no_folder_named_datasets_is_a_package():
    """It would hide Hugging Face's ``datasets``, which Ludwig imports."""
    assert not (ROOT / "datasets" / "__init__.py").exists()
