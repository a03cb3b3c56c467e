"""Text in scripts that are written without spaces is text, not an identifier."""

import pandas as pd
import pytest

from dataset_catalog.columns import column_kind

REVIEWS = {
    "Chinese": "第{}次购买了，质量很好，物流也快，下次还会再来。",
    "Japanese": "{}回目の購入です。とても良い品でした。",
    "Thai": "ซื้อครั้งที่ {} สินค้าดีมาก ส่งเร็ว",
    "English": "bought it {} times and was glad each time",
}


@pytest.mark.parametrize("language", REVIEWS)
def test_reviews_are_text(language: str) -> None:
    cells = pd.Series([REVIEWS[language].format(number) for number in range(60)], dtype=object)
    assert column_kind("review", cells).kind == "text"


def test_names_in_chinese_are_still_identifiers() -> None:
    cells = pd.Series([f"王{chr(0x4E00 + number)}明" for number in range(60)], dtype=object)
    assert column_kind("review", cells).kind == "identifier"
