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
    text = re.sub(r'//(?! namespace$)[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.M)
    for region in re.finditer(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.S | re.M):
        for line in region.group(1).splitlines():
            found = DECLARATION.match(line) if line[:1].isalpha() or line[:2] == "[[" else None
            if found:
                name = found.group(1) or found.group(2) or found.group(3)
                # Functions of other parameters are other functions.
                parameters = line[found.end(3):] if found.group(3) and line[found.end(3):].startswith("(") else ""
                yield name, re.sub(r"[ {;]+$", "", parameters)


def module_of(path):
    """The folder whose CMakeLists.txt names the source."""
    return next(folder for folder in path.parents if (folder / "CMakeLists.txt").exists())


def collisions(root):
    modules = collections.defaultdict(list)
    for top in ("src/assay", "tests"):
        for path in (root / top).rglob("*.cpp"):
            modules[module_of(path)].append(path)
    for module, paths in sorted(modules.items()):
        listed = re.sub(r"add_executable\(.*?\)", "", (module / "CMakeLists.txt").read_text(), flags=re.S)
        together = set(re.findall(r"[\w/]+\.cpp", listed))
        files = collections.defaultdict(set)
        for path in paths:
            name_in_module = str(path.relative_to(module))
            if name_in_module in together:
                for declared in names_in(path.read_text()):
                    files[declared].add(name_in_module)
        for (name, parameters), where in sorted(files.items()):
            if len(where) > 1:
                yield f"{module.relative_to(root)}: {name}{parameters} in {', '.join(sorted(where))}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    found = list(collisions(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
