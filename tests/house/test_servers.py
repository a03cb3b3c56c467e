"""The throw-away servers and programs that slow tests stand on."""

import subprocess

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.postgres
def test_each_test_gets_an_empty_database(postgres_url):
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        (tables,) = connection.execute("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'").fetchone()
    assert tables == 0


def test_the_browser_renders_a_page(chromium, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p id=x></p><script>document.getElementById('x').textContent = 6 * 7</script>")
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "42" in done.stdout, done.stderr
