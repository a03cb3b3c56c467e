"""A clone may lie anywhere, in a folder with spaces in its name too."""

import site
import subprocess
import sys

import pytest

SCRIPT = """
import sys
import ray
from automl import start_ray, stop_ray

start_ray(1)
try:

    @ray.remote(num_cpus=0, runtime_env={"env_vars": {"ANY": "1"}})  # as Tune starts its trials
    def where():
        return sys.executable

    print(ray.get(where.remote(), timeout=120))
finally:
    stop_ray()
"""


@pytest.mark.slow
def test_rays_workers_start_from_an_interpreter_with_spaces_in_its_path(tmp_path):
    environment = tmp_path / "a place with spaces"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=120)
    packages = next(environment.glob("lib/python*/site-packages"))
    lines = [f"import site; site.addsitedir({folder!r})" for folder in site.getsitepackages()]
    (packages / "borrowed.pth").write_text("\n".join(lines) + "\n")
    python = environment / "bin" / "python"
    done = subprocess.run([python, "-c", SCRIPT], capture_output=True, text=True, timeout=240)
    assert done.stdout.strip() == str(python), done.stderr
