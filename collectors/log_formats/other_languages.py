"""Words of other languages than English in lines that name their values.

Only words that count: what is a validation's loss in such a language and what the training's, nobody here would tell.
"""

_ENGLISH = {
    "epoch": ("эпоха", "époque", "época", "epoca", "epoche", "エポック", "에포크", "에폭", "轮次", "轮数"),
    "iteration": ("итерация", "iteración", "itération", "迭代", "イテレーション"),
    "step": ("шаг", "ステップ", "스텝", "步数"),
}
COUNTING = {word: english for english, words in _ENGLISH.items() for word in words}
"""Words that count, in lower case, and what each is called in English."""
