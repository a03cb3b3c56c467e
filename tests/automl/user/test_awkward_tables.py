"""``lode automl run`` on the tables that people have: each works, or ends in one clear line with exit code 2."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

ROWS = 160
QUICK = ("--trials", "1", "--epochs", "1", "--models", "concat", "--version", "untuned")


def base(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    amount, level = rng.normal(size=rows), rng.choice(list("abc"), rows)
    return pd.DataFrame({"amount": amount, "level": level, "y": np.where(amount + (level == "a") > 0.3, "yes", "no")}), rng


def kinds_of_columns(path):
    frame, rng = base()
    frame.insert(0, "row", range(ROWS))
    frame["when"] = pd.date_range("2021-03-01", periods=ROWS).strftime("%d.%m.%Y")
    frame["flag"] = rng.random(ROWS) > 0.5
    frame["note"] = [" ".join(rng.choice(["good", "bad", "dog", "sun"], 5)) + f" {number}" for number in range(ROWS)]
    frame["code"] = [f"k-{number:06d}" for number in rng.permutation(ROWS)]
    frame["same"], frame["nothing"] = 7, np.nan
    frame["mostly"] = [str(value) if number % 40 else "see note" for number, value in enumerate(rng.normal(size=ROWS))]
    frame.to_csv(path, index=False)


def many_levels(path):
    frame, rng = base(9000)
    frame["hundred"] = [f"h{number}" for number in rng.integers(0, 100, 9000)]
    frame["thousands"] = [f"t{number}" for number in rng.integers(0, 4000, 9000)]
    frame.to_csv(path, index=False)


def odd_names(path):
    frame, rng = base()
    names = ["a b", "a.b", 'say "x"', "it's", "größe", "名前", "split", "checksum", "__split__", "twice", "twice", "", "y"]
    values = [rng.normal(size=ROWS) for _ in range(len(names) - 1)]
    odd = pd.DataFrame(dict(enumerate([*values, frame["y"]])))
    odd.columns = pd.Index(names)
    odd.to_csv(path, index=False)


def labels_like_numbers(path):
    frame, rng = base()
    frame["y"] = rng.integers(1, 4, ROWS).astype(float)
    frame.loc[3, "y"] = 9
    frame.loc[5:12, "y"] = np.nan
    frame.to_csv(path, index=False)


def written_elsewhere(path):
    frame, _ = base()
    frame["amount"] = [f"{value:.3f}".replace(".", ",") for value in frame["amount"]]
    text = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))


def parquet_with_everything(path):
    frame, rng = base()
    frame["y"] = frame["amount"] * 3 + rng.normal(size=ROWS)
    frame["level"] = frame["level"].astype("category")
    frame["whole"] = pd.array([None, *rng.integers(0, 9, ROWS - 1)], dtype="Int64")
    frame["stamp"] = pd.date_range("2022-01-01", periods=ROWS, tz="Asia/Tokyo")
    frame["nested"] = [[1, 2]] * ROWS
    frame["infinite"] = np.where(rng.random(ROWS) < 0.2, np.inf, rng.normal(size=ROWS))
    frame.to_parquet(path)


@pytest.fixture
def trained(warm_lode, tmp_path):
    """Write a table, run AutoML on it, and return the folder and its reasons once all that should be there is there."""

    def train(make, file, *more):
        data, out = tmp_path / file, tmp_path / "out"
        make(data)
        code, told, errors = warm_lode("automl", "run", data, "--target", "y", "--out", out, "--json", *QUICK, *more)
        assert code == 0, errors
        reasons = json.loads(told)
        assert reasons["chosen"]["model_type"] == "concat"
        assert (out / "reasons.md").read_text(encoding="utf-8").startswith("# Why")
        assert (out / "config.yaml").read_text(encoding="utf-8")
        predictions = pd.read_csv(out / "predictions.csv")
        assert len(predictions) == reasons["data"]["parts"]["test"]
        assert predictions["prediction"].notna().all()
        return data, out, reasons

    return train


def types(reasons):
    return {each["feature"]: each["type"] for each in reasons["data"]["features"]}


def test_dates_booleans_text_ids_constants_and_missing_columns(trained):
    reasons = trained(kinds_of_columns, "kinds.csv")[2]
    assert types(reasons) == {
        "amount": "number", "level": "category", "when": "number", "when_month": "category", "when_weekday": "category",
        "flag": "category", "note": "text", "mostly": "number",
    }  # fmt: skip
    assert set(reasons["data"]["dropped"]) == {"row", "code", "same", "nothing"}
    assert all(each["reason"] for each in reasons["data"]["features"])


def test_categories_of_hundreds_and_thousands_of_levels(trained):
    reasons = trained(many_levels, "levels.csv", "--rows", "6000")[2]
    assert types(reasons)["hundred"] == types(reasons)["thousands"] == "category"
    assert any("row cap" in note for note in reasons["data"]["notes"])


def test_odd_column_names_are_kept_for_people_and_predictions(trained, lode, tmp_path):
    data, out, reasons = trained(odd_names, "names.csv")
    assert {"a b", "a.b", 'say "x"', "größe", "名前", "split"} <= {each["name"] for each in reasons["data"]["features"]}
    assert len(reasons["data"]["features"]) == 12
    code, _, errors = lode("automl", "predict", out, data, "--out", tmp_path / "p.csv")
    assert code == 0, errors
    assert len(pd.read_csv(tmp_path / "p.csv")) == ROWS
    code, _, errors = lode("automl", "predict", out, data, "--out", tmp_path / "nowhere" / "p.csv")
    assert (code, errors.count("\n")) == (2, 1)
    assert "there is no folder" in errors
    card = out / "model" / "model_hyperparameters.json"
    card.write_text(card.read_text(encoding="utf-8")[:60], encoding="utf-8")
    code, _, errors = lode("automl", "predict", out, data, "--out", tmp_path / "damaged.csv")
    assert (code, errors.count("\n")) == (2, 1)
    assert "the model is damaged" in errors
    assert not (tmp_path / "damaged.csv").exists()


def test_labels_like_numbers_a_rare_class_and_missing_targets(trained):
    _, out, reasons = trained(labels_like_numbers, "labels.csv")
    assert reasons["data"]["task"] == "multiclass"
    assert "8 rows without a target were dropped" in reasons["data"]["notes"]
    assert set(pd.read_csv(out / "predictions.csv", dtype={"prediction": str})["prediction"]) <= {"1", "2", "3", "9"}


def test_semicolons_windows_lines_a_byte_order_mark_and_gzip(trained):
    assert types(trained(written_elsewhere, "elsewhere.csv.gz")[2]) == {"amount": "number", "level": "category"}


def test_parquet_and_regression_and_a_model_that_ludwig_opens(trained):
    from automl import read_model_card
    from automl._ludwig import load_ludwig

    _, out, reasons = trained(parquet_with_everything, "all.parquet")
    assert reasons["data"]["task"] == "regression"
    assert types(reasons)["stamp"] == "number"
    load_ludwig("cpu")
    from ludwig.api import LudwigModel

    model = LudwigModel.load(str(out / "model"), backend="local")
    assert [each["name"] for each in model.config["output_features"]] == [read_model_card(out / "model").target_feature]
    assert reasons["chosen"]["test_score"] == pytest.approx(_rmse(out), rel=1e-3)


def _rmse(out):
    rows = pd.read_csv(out / "predictions.csv")
    return float(np.sqrt(((rows["y"] - rows["prediction"]) ** 2).mean()))


def write(text):
    return lambda path: path.write_text(text, encoding="utf-8")


def table(**columns):
    return lambda path: base()[0].assign(**columns).to_csv(path, index=False)


@pytest.mark.parametrize(
    ("make", "arguments", "said"),
    [
        (None, (), "no such file"),
        (lambda path: path.mkdir(), (), "folder"),
        (write(""), (), "empty"),
        (write("a,b,y\n"), (), "no rows"),
        (lambda path: path.write_bytes(bytes(range(256)) * 40), (), "t.csv"),
        (write("a,y\n1,2\n1,2,3,4\n"), (), "line"),
        (table(), ("--target", "Y"), "did you mean 'y'"),
        (table(y="one"), (), "constant"),
        (table(y=np.nan), (), "missing in every row"),
        (table(y=[f"n{number}" for number in range(ROWS)]), (), "neither classes nor numbers"),
        (table(y=["a"] * (ROWS - 1) + ["b"]), (), "one class"),
        (lambda path: base(15)[0].to_csv(path, index=False), (), "at least 20"),
        (lambda path: base()[0][["y"]].to_csv(path, index=False), (), "no column but 'y'"),
        (table(), ("--task", "ranking"), "one of binary"),
        (table(), ("--task", "regression"), "missing in every row"),
        (table(), ("--models", "xgboost"), "concat, tabnet"),
        (table(), ("--version", "staging"), "staging"),
        (table(), ("--version", "feedbeef"), "feedbeef"),
        (table(), ("--time-budget", "soon"), "90s"),
        (table(), ("--time-budget", "0"), "no time"),
        (table(), ("--trials", "0"), "trials"),
    ],
)  # fmt: skip
def test_what_cannot_work_ends_in_one_clear_line(lode, tmp_path, monkeypatch, make, arguments, said):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    data = tmp_path / "t.csv"
    if make is not None:
        make(data)
    code, told, errors = lode("automl", "run", data, "--target", "y", "--out", tmp_path / "out", *arguments)
    assert code == 2
    assert told == ""
    assert errors.startswith("lode: ")
    assert errors.count("\n") == 1
    assert said.casefold() in errors.casefold()
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(lode, tmp_path):
    data = tmp_path / "t.csv"
    table()(data)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    code, _, errors = lode("automl", "run", data, "--target", "y", "--out", tmp_path / "out")
    assert code == 2
    assert "not empty" in errors
    code, _, errors = lode("automl", "run", data, "--target", "y", "--out", data / "inside")
    assert (code, errors) == (2, f"lode: {data / 'inside'} lies in {data}, which is a file; name another folder with --out\n")


def test_a_dry_run_and_config_say_what_would_be_done(lode, tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    data = tmp_path / "t.csv"
    table()(data)
    code, told, _ = lode("automl", "run", data, "--target", "y", "--dry-run", "--json")
    plan = json.loads(told)
    assert code == 0
    assert plan["plan"]["heuristics"] == "untuned"
    assert plan["data"]["task"] == "binary"
    code, told, _ = lode("automl", "config", data, "--target", "y", "--models", "tabnet")
    assert code == 0
    assert "type: tabnet" in told
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_predicting_with_no_model_is_one_clear_line(lode, tmp_path, place):
    (tmp_path / "empty").mkdir()
    table()(tmp_path / "t.csv")
    code, _, errors = lode("automl", "predict", tmp_path / place, tmp_path / "t.csv", "--out", tmp_path / "p.csv")
    assert code == 2
    assert "no model" in errors
    assert errors.count("\n") == 1
