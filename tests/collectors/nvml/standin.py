"""Builds the library that stands in for libnvidia-ml.so.1. Used by the tests and by the benchmarks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
HEALTHY = (HERE / "healthy.txt").read_text()


class NoCompilerError(RuntimeError):
    """It cannot be built here; the message says why."""


def build(folder: Path, *, without: Sequence[str] = (), define: str = "STAND_IN") -> Path:
    """Compile the library into `folder`, `without` some functions: an old driver. Raises `NoCompilerError`."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        raise NoCompilerError("needs Linux and a C compiler for the library that stands in for NVML")
    hidden = folder / "hidden.map"
    hidden.write_text("{ local: " + "".join(f"{name}; " for name in ("none", *without)) + "};\n")
    options = ["-shared", "-fPIC", "-O1", "-Wl,-soname,libnvidia-ml.so.1"]
    options += [f"-Wl,--version-script={hidden}", f"-D{define}", "-o", str(folder / "libnvidia-ml.so.1")]
    done = subprocess.run(
        [compiler, *options, HERE / "nvml_standin.c"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the library that stands in for NVML does not compile:\n{done.stderr}")
    return folder


def environment(folder: Path, script: Path) -> dict[str, str]:
    """What a child needs to find the library, and the library its script: the loader looks only at a start."""
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "NVML_STANDIN": str(script)}
