"""The one-token mutations of a Python file: another operator, number or truth value, a slice without its bound."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ARITHMETIC = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*",
    "|": "&", "&": "|", "^": "&", "<<": ">>", ">>": "<<",
}  # fmt: skip
COMPARISONS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",),
}  # fmt: skip
WORDS = {"and": "or", "or": "and"}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
AUGMENTED = {f"{a}=": f"{b}=" for a, b in ARITHMETIC.items()}
# Options of structs and the sizes of caches are declarations; most of them show in speed alone.
DECLARATIONS = {"frozen", "gc", "slots", "kw_only", "cache_hash", "maxsize"}
LARGE = 12  # a larger number is doubled: that it is exact seldom matters


@dataclass(frozen=True)
class Mutation:
    """One place of one file and what would stand there instead: `source[start:end]` becomes `new`."""

    path: str
    line: int
    start: int
    end: int
    new: str
    before: str  # the line as it is, and as it would be
    after: str
    statement: tuple[int, int]  # the first and the last line around it: of an `if` the head alone

    def applied(self, source: str) -> str:
        return source[: self.start] + self.new + source[self.end :]

    def order(self, seed: int) -> str:
        """Mutations are sampled in this order: an edit elsewhere leaves most of a sample as it was."""
        return hashlib.sha1(f"{seed}|{self.path}|{self.before}|{self.after}".encode()).hexdigest()

    def is_python(self, source: str) -> bool:
        try:
            ast.parse(self.applied(source))
        except SyntaxError:
            return False
        return True


def mutations(path: str, source: str) -> list[Mutation]:
    """Every mutation of `source`, in order."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    found = []
    for start, end, new, statement in sorted(set(finder.found)):
        first, last = source.rfind("\n", 0, start) + 1, source.find("\n", end)
        before, after = source[first:].split("\n", 1)[0], source[first:start] + new + source[end:last]
        number = source.count("\n", 0, start) + 1
        found.append(Mutation(path, number, start, end, new, before.strip(), after.strip(), statement))
    return found


def of_folder(root: Path, folder: str) -> list[Mutation]:
    """Those of every module below `root / folder` (or of one module)."""
    top = root / folder
    paths = [top] if top.is_file() else sorted(top.rglob("*.py"))
    return [m for path in paths for m in mutations(path.relative_to(root).as_posix(), path.read_text())]


class _Finder(ast.NodeVisitor):
    """Walks a syntax tree; what no test has to notice is left out."""

    def __init__(self, source: str) -> None:
        self.found: list[tuple[int, int, str, tuple[int, int]]] = []
        self._statement = (1, 1)
        self._source = source
        self._lines = [line.encode() for line in source.split("\n")]
        self._starts = list(itertools.accumulate((len(line.decode()) + 1 for line in self._lines), initial=0))

    def visit(self, node: ast.AST) -> None:
        if _is_left_out(node):
            return
        outer = self._statement
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None) or getattr(node, "cases", None)
            last = (node.end_lineno or 0) if not body else node.lineno
            self._statement = (node.lineno, last)
        super().visit(node)
        self._statement = outer

    def _add(self, start: int, end: int, new: str) -> None:
        self.found.append((start, end, new, self._statement))

    def generic_visit(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if name not in {"annotation", "returns"}:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.visit(child)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._between(node.left, node.right, ARITHMETIC)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._between(node.target, node.value, AUGMENTED)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self._between(left, right, COMPARISONS)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in itertools.pairwise(node.values):
            self._between(left, right, WORDS)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        start, end = self._place(node)[0], self._place(node.operand)[0]
        if self._source[start:end].rstrip(" (") in {"not", "-"}:
            self._add(start, start + (4 if self._source[start] == "n" else 1), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        start, end = self._place(node)
        text, value = self._source[start:end], node.value
        if isinstance(value, bool):
            new = [str(not value)] if text == str(value) else []
        elif not isinstance(value, (int, float)) or not re.fullmatch(r"\d[\w.]*([-+]\d+)?", text):
            new = []
        elif isinstance(value, int) and value <= LARGE:
            new = [str(value + 1), str(value - 1)]
        else:
            new = [repr(value * 2) if value else "1.0"]
        for each in new:
            self._add(start, end, each)

    def visit_Name(self, node: ast.Name) -> None:
        start, end = self._place(node)
        if node.id in CALLS and self._source[start:end] == node.id:
            self._add(start, end, CALLS[node.id])

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Of `most_common(1)[0]` the first is the last, too."""
        one = isinstance(node.value, ast.Call) and ast.unparse(node.value).endswith(".most_common(1)")
        self.visit(node.value) if one else self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, ast.Constant):
                self._add(*self._place(bound), "")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self._add(*self._place(node.value), "None")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset
        self._add(start, start + len("continue"), "break")

    def _place(self, node: ast.expr) -> tuple[int, int]:
        """Where it stands in the source: the tree counts columns in bytes."""
        ends = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
        start, end = (
            self._starts[n - 1] + len(self._lines[n - 1][:at].decode(errors="replace")) for n, at in ends
        )
        return start, end

    def _between(self, left: ast.expr, right: ast.expr, instead: Mapping[str, str | tuple[str, ...]]) -> None:
        """The operator between two operands, where nothing but brackets and spaces stands beside it."""
        start, end = self._place(left)[1], self._place(right)[0]
        operator = re.fullmatch(r"[\s)]*([^\s()]+(?: not| in)?)[\s(]*", self._source[start:end])
        if operator and operator[1] in instead:
            new = instead[operator[1]]
            for each in (new,) if isinstance(new, str) else new:
                self._add(start + operator.start(1), start + operator.end(1), each)


def _is_left_out(node: ast.AST) -> bool:
    """Docstrings, `__all__`, names of types, what is for a type checker, a script's start, declarations."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert():
            return True
        case ast.If(test=test):
            return ast.unparse(test) in {"TYPE_CHECKING", "__name__ == '__main__'"}
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name == "__all__" or bool(re.match("_?[A-Z]+[a-z]", name))
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.keyword(arg="strict", value=ast.Constant(value=True)):
            return True  # an assertion, too
        case ast.keyword(arg=name):
            return name in DECLARATIONS
    return False
