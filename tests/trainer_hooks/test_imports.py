"""What the hooks load into somebody's training job."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def test_importing_the_hooks_loads_no_module_but_ours_and_msgspec() -> None:
    script = """
        import sys
        import msgspec
        before = set(sys.modules)
        import itermon.trainer_hooks
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        print(*sorted(name for name in new if name not in sys.stdlib_module_names))
        """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.split() == ["itermon"]
