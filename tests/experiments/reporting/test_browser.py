"""The report in a real browser: charts drawn, no script error, nothing asked of the network."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from experiments.reporting import write_report

pytestmark = pytest.mark.slow


def _made():
    path = Path(__file__).with_name("test_report.py")
    spec = importlib.util.spec_from_file_location("made_report", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.full_report()


@pytest.mark.parametrize("scheme", [0, 1])  # Chromium's numbers for dark and light
def test_the_page_draws_in_chromium(chromium, tmp_path, scheme) -> None:
    page = write_report(_made(), tmp_path / "report.html")
    done = subprocess.run(
        [
            str(chromium),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            f"--blink-settings=preferredColorScheme={scheme}",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=8000",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.count('class="plot-container') == 4  # regret, trials, importance, space
    assert "Uncaught" not in done.stderr
    assert "ERR_NAME_NOT_RESOLVED" not in done.stderr
