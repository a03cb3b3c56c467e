"""What a table holds, whatever file it came from: hashes of its cells, its fingerprint, its row sketch."""

from dataset_catalog._similarity import NEAR_DUPLICATE, SKETCH_SIZE, SKETCH_VERSION, similarity
from dataset_catalog.content._encoding import Hashes, cell_hashes, row_hashes
from dataset_catalog.content._fingerprint import (
    FINGERPRINT_VERSION,
    canonical_order,
    canonical_positions,
    fingerprint,
    order_of,
    ordered_and_named,
)
from dataset_catalog.content._sketch import sketch

__all__ = [
    "FINGERPRINT_VERSION",
    "NEAR_DUPLICATE",
    "SKETCH_SIZE",
    "SKETCH_VERSION",
    "Hashes",
    "canonical_order",
    "canonical_positions",
    "cell_hashes",
    "fingerprint",
    "order_of",
    "ordered_and_named",
    "row_hashes",
    "similarity",
    "sketch",
]
