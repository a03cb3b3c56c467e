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


SHADOW = """
import ray
from automl import start_ray, stop_ray

start_ray(1)
try:

    @ray.remote(num_cpus=0)
    def where():
        import automl

        return automl.__file__

    print(ray.get(where.remote(), timeout=120))
finally:
    stop_ray()
"""


@pytest.mark.slow
def test_workers_take_no_folder_of_the_users_for_our_packages(tmp_path):
    import automl

    own = tmp_path / "work" / "automl"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("x = 1\n")
    script = tmp_path / "script" / "run.py"
    script.parent.mkdir()
    script.write_text(SHADOW)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=240, cwd=own.parent)
    assert done.stdout.strip() == automl.__file__, done.stderr
