"""Words of other languages than English in lines that name their values: those that count, and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..patterns import lazy_pattern

if TYPE_CHECKING:
    import re

_ENGLISH = {
    "epoch": (
        "эпоха",
        "époque",
        "época",
        "epoca",
        "epoche",
        "epoka",
        "epocha",
        "епоха",
        "エポック",
        "에포크",
        "에폭",
        "轮次",
        "轮数",
        "训练轮次",
        "训练轮数",
    ),
    "iteration": (
        "итерация",
        "iteración",
        "itération",
        "迭代",
        "迭代次数",
        "イテレーション",
        "iteracja",
        "iteração",
        "ітерація",
    ),
    "step": ("шаг", "ステップ", "스텝", "步数", "krok", "крок", "schritt", "paso", "passo", "adım"),
}
COUNTING = {word: english for english, words in _ENGLISH.items() for word in words}
"""Words that count, in lower case, and what each is called in English."""

LOSSES = ("损失", "損失", "손실", "потери", "потеря", "pérdida", "perdida", "perda", "perte", "verlust", "perdita")
"""The word for a loss, in lower case; of these a longer name is made."""
TRAINING_LOSSES = (
    *LOSSES,
    *("训练损失", "训练集损失", "平均损失", "损失值", "训练损失值", "平均损失值", "損失値", "訓練損失", "学習損失", "손실값"),
    *("학습_손실", "훈련_손실", "평균_손실", "потери_на_обучении", "потери_обучения", "средние_потери"),
    *("pérdida_de_entrenamiento", "pérdida_entrenamiento", "pérdida_media", "perda_de_treino", "perda_treino", "perda_média"),
    *("perte_moyenne", "perte_entraînement", "trainingsverlust", "perdita_di_addestramento"),
)  # fmt: skip
EVALUATED_LOSSES = (
    *("验证损失", "测试损失", "验证损失值", "测试损失值", "验证集损失", "测试集损失", "検証損失", "テスト損失", "검증_손실", "테스트_손실"),
    *("потери_на_валидации", "потери_валидации", "pérdida_de_validación", "pérdida_validación", "perda_de_validação"),
    *("perda_validação", "perte_validation", "perte_de_validation", "validierungsverlust", "perdita_di_validazione"),
)  # fmt: skip

_ORDINAL = {
    "轮次": "epoch",
    "轮": "epoch",
    "周期": "epoch",
    "epoch": "epoch",
    "步": "step",
    "step": "step",
    "次迭代": "iteration",
    "批次": "batch",
    "批": "batch",
    "batch": "batch",
    "回合": "episode",
}
ORDINAL = rf"第 {{0,2}}(?=\d{{1,9}}(?: ?/ ?\d{{1,9}})? ?(?:个 ?)?(?:{'|'.join(_ORDINAL)}))"
"""`第3/10轮`, `第 20 步`: the word stands behind its number; this is what stands in front of that."""
_WHOLE = lazy_pattern(rf"第 {{0,2}}(\d{{1,9}}(?: ?/ ?\d{{1,9}})?) ?(?:个 ?)?({'|'.join(_ORDINAL)})(?![A-Za-z])")


_CURRENT = lazy_pattern(r"(?<![^\W\d_])(?:当前|目前)的? ?(?=[^\W\d_])")
"""`当前Batch：10/60 | 当前损失值：2.5`: the current one; the name is behind it."""
_SECONDS = lazy_pattern(r"(?<=\d) ?[秒초](?![^\W\d_])")


def in_english(text: str) -> str:
    """A line whose words that count stand around their number, with these in English and in front of it; without "current" before a name."""
    if "前" in text:
        text = _CURRENT.sub("", text)
    if "秒" in text or "초" in text:
        text = _SECONDS.sub("s", text)
    return _WHOLE.sub(_spelt, text) if "第" in text else text


def _spelt(found: re.Match[str]) -> str:
    return f" {_ORDINAL[found[2]]} {found[1]}, "
