"""The words with which logs end: of a shell, a queue, a person, or a trainer that is done. One line each."""

from __future__ import annotations

import re

from ..log_formats.parsing.grammar import PREFIX
from ..patterns import lazy_pattern

_SIGNALLED = lazy_pattern(
    r"(?:.{0,200}?: line \d+: +\d+ |(?:\[\d+\])?[-+ ]*(?:\d+ +)?)"
    r"(?:[Kk]illed|[Tt]erminated|Aborted|Hangup|Segmentation fault|Floating point exception)"
    r"(?: +\(core dumped\))?(?: {2,}\S.*)?"
)
"""`Killed`; `[1]+  Terminated      python train.py`; `run.sh: line 5: 4242 Killed     python train.py`"""

_EXITED = lazy_pattern(r"(?:\bexit(?:ed with exit)? ?code:? ?|退出代码 ?)(-?\d{1,5})\b", re.IGNORECASE)
"""`Process finished with exit code 137`; a shell adds 128 to the number of the signal that killed a process."""

_FINISHED = lazy_pattern(
    r"\b(?:training|fine-?tuning)(?: (?:is|has|was|run|loop|job))*(?: now| been)? "
    r"(?:completed?|finished|done|ended)\b"
    r"|\b(?:finished|completed|done)(?: with)?(?: the)? (?:training\b|optimi[sz]ation (?:in|after)\b)"
    r"|\b(?:end of|total time (?:to finish|for|of))(?: the)? training\b"
    r"|^(?:\W{0,3}[\d/: .,-]{5,30}\W{1,3})?training "
    r"(?!(?:epoch|step|phase|stage|fold|round|batch|iteration|loop|data|set)s?\b)"
    r"[\w.-]{1,40} (?:is |has )?(?:finished|completed)\W*$"
    r"|(?:^|\W )training of (?!.{0,200}\b(?:never|not|be)\b)"
    r"(?:the )?(?!(?:epoch|step|phase|stage|fold|round|batch|iteration|part|run|trial)s?\b)"
    r"(?:[a-z-]{2,20} ){1,8}(?:is |was |has )?(?:finished|completed)\W*$"
    r"|\b(?:trainer|learner) (?:is |has |was )?(?:finished|completed?|ended)(?=\W*$|[,.;:!])"
    r"|^\W*(?:end(?:ed|ing)?|end the) training(?: \S{0,200}[/(]\S{0,200})?\W*$"
    r"|^\W*final test (?:acc(?:uracy)?|loss|error|f1|auc|metrics?|results?|score)\b(?: score)?\W{1,4}\d"
    r"|^\W*(?:total training time|overall training speed)\W{1,4}\d|^\W*training time\W{1,4}\d+:\d\d:\d\d\W*$"
    r"|\btraining (?:took|lasted)\W{1,3}\d+:\d\d:\d\d"
    r"|^\W*(?:train(?:ing|er)?\W{1,3})?done\W{1,4}(?:best|final)(?![a-z])|^\W*train(?:ing|er)?\W{1,3}done\W*$"
    r"|\bentra[îi]nement (?:est )?(?:terminé|fini|achevé)|\btraining (?:ist )?(?:abgeschlossen|beendet|fertig)"
    r"|\b(?:addestramento|training) (?:è )?(?:completato|terminato|finito|concluso)"
    r"|\bentrenamiento (?:ha )?(?:sido )?(?:completado|terminado|finalizado|completo)"
    r"|\b(?:treinamento|treino) (?:foi )?(?:concluído|finalizado|completo|terminado)"
    r"|\bобучение (?:завершено|закончено|окончено)"
    r"|\b(?:pelatihan|training) (?:telah |sudah )?selesai\b|\beğitim (?:tamamlandı|bitti)"
    r"|\b(?:optimization|solving|fitting) (?:done|finished|complete)"
    r"|^\W*(?:done|finished) (?:solving|fitting|optimi[sz]ing)\W*$"
    r"|\b(?:model|training|network|optimi[sz]er|optimi[sz]ation) (?:has |is )?converged\b"
    r"|^\W*converged (?:after|at|in) (?:(?:epoch|step|iteration) )?\d"
    r"|^\W*(?:training|exit and) convergence (?:is |was )?(?:reached|attained|achieved)\b"
    r"|^\W*convergence (?:is |was )?(?:reached|attained|achieved)\W*$"
    r"|^\W*(?:the )?training (?:ends|is over)\W*$|^>{5,} ?testing ?: "
    r"|^\W*(?:the )?run (?:is |has |was )?(?:completed?|finished)"
    r"(?: (?:successfully|(?:@|at|after|in) .{0,60}\d.{0,90}))?\W*$"
    r"|^\W*(?:target|desired) (?:[a-z]{2,12} ){0,3}(?:loss|accuracy|error|reward|score|perplexity)"
    r"(?: of \d[\d.e%-]{0,20})? (?:is |was |has been )?(?:reached|achieved|attained)\b"
    r"|^\W*stopping(?: training| the training)?\W*(?:best iteration\b.*)?$"
    r"|^(?!.*\b(?:epoch|episode|eval\w*|valid\w*|rollout|generation|search)\b)\W*(?:(?:reached|hit|exceeded)\b.{0,30}"
    r"\b(?:max|limit|budget)|(?:max|time|wall|budget|limit)\w{0,8}\b.{0,30}\b(?:reached|hit|exceeded|exhausted)\b)"
    r".{0,60}\W[ ]?stopping(?: the)?(?: training)?\W*$"
    r"|\bfinal (?:model|weights|checkpoint)s? (?:was |has been |successfully )*(?:saved|stored|written)\b"
    r"|\b(?:saved|stored|wrote) (?:the )?final (?:model|weights|checkpoint)"
    r"|训练(?:测试|流程|过程)?(?:已经|已|全部|任务|均)?(?:完成|结束|完毕)"
    r"|学習(?:が|は)?(?:完了|終了)|학습(?:이)? ?(?:완료|종료)"
    r"|^\W*(?:(?:running|starting|performing) (?:the )?)?final (?:[\w-]+ ){0,3}(?:eval(?:uation)?|test(?:ing)?)"
    r"(?: (?:results?|metrics|performance)| on\b.{0,40})?\W*$"
    r"|\bnumber of finished trials\W{1,6}\d"
    r"|^\[Finished in \d+(?:\.\d+)?s|^\W*finished\W{1,4}total elapsed time\b"
    r"|\b(?:experiments?|training pipeline) (?:run |has |was |is )*"
    r"(?:finished|completed?|done)(?: successfully)?\W*$"
    r"|(?:实验|任务)(?:已|全部)?(?:完成|结束)"
    r"|^\W*done\b\W{0,3}(?:all )?(?:results?|models?|outputs?) (?:(?:was|were|are|is) )?(?:saved|written)\b"
    r"|^\W*all (?:is |are |runs |folds |epochs |experiments )?(?:finished|done|completed?)\W*$"
    r"|\"(?:event|type)\": ?\"(?:(?:training|train|run)[_ ])?(?:done|finished|completed?)\""
    r"|\bearly[- ]?stop(?:p(?:ing|ed))? (?:triggered|at (?:epoch|step|iteration)|after)\b"
    r"|\bearly[- ]?stop(?:p(?:ing|ed))?\W{0,8}(?:@|\b(?:at|in|on)\b)\W{0,3}(?:(?:epoch|step|iter)\w*\W{0,3})?\d"
    r"|\bearly[- ]stop(?:[\])!]|[.! ]*$)"
    r"|^\W*epoch\W{0,3}\d{1,9}(?: ?/ ?\d{1,9})?\W{1,4}early[- ]?stop(?:ping|ped)?[.! ]*$"
    r"|(?:^|[\W_])(?:early[ _-]?)?stop(?:ping)?(?:[ _]count(?:er)?)?"
    r"\W{1,3}(?P<waited>[1-9]\d{0,5}) ?(?:/|out of) ?(?P=waited)(?!\W?\d)"
    r"|\b(?:no improvement|(?:did ?)?(?:not|n't) improved?)\b(?:(?! (?:will|be) ).){0,60}\bstopp(?:ing|ed)\b"
    r"|^\W*(?:terminating|stopping|ending)(?: (?:the )?(?:training|run))?(?: early)? "
    r"(?:due to|because of|for|after) (?:the |a )?(?:lack of|no) (?:further )?(?:improvement|progress)\b"
    r"|\bno optimi[sz]ation for a long time\b.{0,40}\bstop"
    r"|\b(?:early[- ]?stopping|stopp(?:ed|ing) (?:training )?early)"
    r"(?=[.! ]*$|:? (?:as|at|because|since|after|due to)\b)",
    re.IGNORECASE,
)
_OF_A_PART = lazy_pattern(
    r"\b(?:epoch|step|iter\w*|round|fold)\W{0,3}\d|第 ?\d|\b(?:not|if|when|until|before|will|enable|disable)\b"
    r"|\b(?:print|log(?:ger|ging)?\.\w{1,20}) ?\(",
    re.IGNORECASE,
)
"""In front of those words: `Epoch 3: training done`, `did not meet early stopping`, `to disable` it.

Or a call that prints them: a notebook has the script's own lines.
"""

_RESUMED = lazy_pattern(
    r"\bresum(?:ed|ing)(?: (?:the )?(?:training|run))?(?: at \d[\dT:. -]{7,30})?,? (?:from|at) "
    r"(?:(?:the )?(?:global )?(?:step|epoch|iter(?:ation)?)\W{0,3}\d|\S{0,99}(?:[/\\]|checkpoint|ckpt|\.pth?\b))",
    re.IGNORECASE,
)
"""`Resumed at step 7000`, `Resuming training from out/last.pt`: a process begins with what another had saved."""

_BEGINS = lazy_pattern(
    r"\b(?:start(?:ing|ed)?|begin(?:ning)?|launching) (?:the |model )?(?:training|fine-?tuning)\b"
    r"|\busing (?:device|gpu)\b|^nohup: ignoring input",
    re.IGNORECASE,
)
"""What a process says before it trains."""

_NOT_STARTED = lazy_pattern(
    r"[^\s:]{1,100}: error: (?:unrecognized arguments|the following arguments are required|argument \S{1,60}: )"
    r"|(?:\S{1,100}/)?python[\d.]*: (?:can't open file|No module named|Error while finding module)"
)
"""`train.py: error: unrecognized arguments`, `python: can't open file`: it came to nothing."""

_OPENINGS = ("start", "begin", "launching", "using ", "nohup")
"""Each such line holds one of them, in lower case."""

_MOST_CHARACTERS = 300

_WHOSE = r"(?:the )?(?:training|run|process|experiment|script|program)\W{1,3}(?:was |has been |is )?"
_STOPPED = r"(?:interrupted|stopped|aborted|terminated)(?: manually)? by (?:the )?(?:user|keyboard)\b"
_BY_HAND = lazy_pattern(
    rf"(?i)\W{{0,12}}(?:(?:{_WHOSE})?{_STOPPED}(?:[^\w\s].{{0,120}})?|{_WHOSE}interrupted)\W{{0,12}}"
)
"""`Training interrupted by user`, `Stopped by user. Saving ...`, `Training interrupted!`; nothing before it."""

_DONE = (
    *("complet", "finish", "done", "ended", "stop", "final", "end of", "total time", "termin", "fini", "achev"),
    *("training time", "training speed", "training took", "training lasted"),
    *("end train", "ending train", "end the train", ">testing"),
    *("abgeschlossen", "beendet", "fertig", "conclu", "заверш", "законч", "оконч", "selesai", "eğitim"),
    *("完", "结束", "終了", "완료", "종료", "converge", "training ends", "is over", "target", "desired"),
)
HINTS = (
    *("cancelled at", "killed", "terminate", "abort", "hangup", "fault", "exception", "exit", "退出", "interrupt"),
    *("^c", "death signal", "error: ", "can't open", "no module", *_DONE),
)
"""Each line that one of these questions is answered by holds one of them, in lower case."""


QUEUE = "CANCELLED AT"
"""SLURM's word, which it may write into the middle of a line."""


def of_queue(text: str) -> str:
    """What a queue says in `text`, without what stood on the line before."""
    begins = [at for word in ("slurmstepd", "srun: ", "*** ") if 0 <= (at := text.find(word)) < text.find(QUEUE)]
    return text[min(begins) :] if begins else text


def cancelled(text: str) -> bool:
    """Did a queue take the job back, for another reason than its time limit?"""
    return QUEUE in text and "DUE TO TIME LIMIT" not in text


def signalled(text: str) -> bool:
    """Does a shell say that a signal ended the program?"""
    hinted = "illed" in text or "erminated" in text or "Abort" in text or "Hangup" in text or "ation f" in text
    return (hinted or "point ex" in text) and _SIGNALLED.fullmatch(text) is not None


def exited(text: str) -> int | None:
    """The exit code that a launcher reports, if this is the line."""
    if ("xit" not in text and "退出" not in text) or len(text) > _MOST_CHARACTERS:
        return None
    found = _EXITED.search(text)
    return int(found[1]) if found else None


def interrupted(text: str) -> bool:
    """Did a person, or a signal that asks politely, stop it?"""
    if "KeyboardInterrupt" in text or text == "^C" or "death signal" in text:
        return True
    if len(text) > _MOST_CHARACTERS or not ("user" in text or "nterrupted" in text or " by " in text):
        return False
    return _BY_HAND.fullmatch(PREFIX.sub("", text, count=1)) is not None


def resumed(text: str) -> bool:
    """Does a process say that it goes on from a checkpoint?"""
    return "esum" in text and len(text) <= _MOST_CHARACTERS and _RESUMED.search(text) is not None


def not_started(text: str) -> bool:
    """Does a program, or its interpreter, say that it could not even begin?"""
    hinted = "error: " in text or "python" in text
    return hinted and _NOT_STARTED.match(text) is not None


def begins(text: str) -> bool:
    """Does a process say that it begins?"""
    if len(text) > _MOST_CHARACTERS:
        return False
    lower = text.lower()
    return any(map(lower.__contains__, _OPENINGS)) and _BEGINS.search(text) is not None


def finished(text: str) -> bool:
    """Does the trainer say that it is done?"""
    if len(text) > _MOST_CHARACTERS:
        return False
    hinted = any(map(text.lower().__contains__, _DONE))
    if not hinted:  # as nearly all lines are; the search takes thirty times as long
        return False
    text = PREFIX.sub("", text, count=1)
    found = _FINISHED.search(text)
    return found is not None and not _OF_A_PART.search(text, 0, found.start())


def ends_beside_a_row(text: str) -> bool:
    """Does a line with which a row is handed on tell of an end, or of what is none, too?

    A queue writes into the frame of a bar, and Python what it ignored; `Early stopping at epoch 17` closes the
    block that was the last row.
    """
    says = "top" in text or "arget" in text or "esired" in text
    return QUEUE in text or "xception i" in text or (says and finished(text))
