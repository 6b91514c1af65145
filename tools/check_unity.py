#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names that stand in the unnamed namespaces of two sources of one module, or of its tests.

ASSAY_UNITY compiles several sources as one, so that such names collide: rename one, or give both files the same thing from a
header. Prints them; exit status 1 if there are any.

  tools/check_unity.py [ROOT]
"""
import collections
import re
import sys
from pathlib import Path

DECLARATION = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =|"
                         r"(?!using |namespace |template|TEST)[\w:<>,\s*&\[\]().]*?[ *&](\w+)(?:\(| = | =$|\{|\[|;)")


def names_in(text):
    """Names at the outermost level of the unnamed namespaces, as the formatter lays them out."""
    text = re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text)
    for region in re.finditer(r"^namespace \{\n(.*?)^\}", text, re.S | re.M):
        for line in region.group(1).splitlines():
            found = DECLARATION.match(line) if line[:1].isalpha() or line[:2] == "[[" else None
            if found:
                yield found.group(1) or found.group(2) or found.group(3)


def collisions(root):
    for module in sorted({path.parent for top in ("src/assay", "tests") for path in (root / top).rglob("*.cpp")}):
        files = collections.defaultdict(set)
        for path in module.glob("*.cpp"):
            for name in names_in(path.read_text()):
                files[name].add(path.name)
        listed = (module / "CMakeLists.txt").read_text() if (module / "CMakeLists.txt").exists() else ""
        together = set(re.findall(r"[\w/]+\.cpp", re.sub(r"add_executable\(.*?\)", "", listed, flags=re.S)))
        for name, where in sorted(files.items()):
            if together:
                where &= together
            if len(where) > 1:
                yield f"{module.relative_to(root)}: {name} in {', '.join(sorted(where))}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    found = list(collisions(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
