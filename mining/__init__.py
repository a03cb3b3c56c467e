"""From a trial table and a dataset table to a heuristics document. Pure: no Ray, no Ludwig, no MLflow, no files."""
