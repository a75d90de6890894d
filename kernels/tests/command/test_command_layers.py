"""Tests the structure of `kernels/command`: packages in layers, with imports only downwards."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from conftest import ROOT

COMMAND = ROOT / "kernels" / "command"
# From the lowest to the highest. A package imports only from itself and from those before it. `main` is above all of them.
LAYERS = ("base", "dependencies", "setup", "pages", "learner", "class_page", "publish", "testing")
MOST_FILES = 16


def modules(folder: Path) -> dict[str, Path]:
    """Returns every module by its name within the package: `setup.stages`, and `setup` for the package itself."""
    found = {path.relative_to(folder).with_suffix("").parts: path for path in folder.rglob("*.py")}
    return {".".join(parts).removesuffix("__init__").removesuffix("."): path for parts, path in found.items()}


def imported(name: str, path: Path, there: Mapping[str, Path]) -> Iterator[str]:
    """Yields the modules that a module imports anywhere in its file."""
    package = f"command.{name}" if path.name == "__init__.py" else f"command.{name}".rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found = [(f"{source}.{alias.name}", source) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name,) for alias in node.names]
        else:
            continue
        for names in found:
            yield from [short for full in names if (short := full.removeprefix("command.")) in there and short != full][:1]


def imports(folder: Path) -> dict[str, set[str]]:
    there = modules(folder)
    return {name: set(imported(name, path, there)) - {name} for name, path in there.items()}


def faults(folder: Path) -> list[str]:
    """Returns one line for each fault in the packages' imports and sizes."""
    graph = imports(folder)
    height = {package: number for number, package in enumerate(LAYERS)}
    above = len(LAYERS)  # `main`, and any other module next to the packages
    found = [
        f"{name} imports {other}, which stands above it"
        for name, others in graph.items()
        for other in others
        if height.get(name.split(".")[0], above) < height.get(other.split(".")[0], above)
    ]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"{' imports '.join(reversed(error.args[1]))}: a circle")
    for place in {path.parent for path in modules(folder).values()}:
        files = [path for path in place.iterdir() if path.is_file()]
        if len(files) > MOST_FILES:
            found.append(f"{place.name} has {len(files)} files, more than {MOST_FILES}")
    return found


def test_imports_go_down_only_and_no_package_is_large() -> None:
    assert faults(COMMAND) == []


def test_each_package_has_its_place_among_the_layers() -> None:
    assert {path.parent.name for path in COMMAND.glob("*/__init__.py")} == set(LAYERS)


@pytest.mark.parametrize(
    ("file", "content", "fault"),
    [
        ("base/say.py", "from ..setup import stages", "base.say imports setup.stages, which stands above it"),
        ("base/say.py", "def late():\n    from ..main import main", "base.say imports main, which stands above it"),
        (
            "base/say.py",
            "if TYPE_CHECKING:\n    from command.setup.stages import Course",
            "base.say imports setup.stages, which stands above it",
        ),
        ("setup/kernel.py", "from . import stages", "a circle"),
        ("base/files.py", "from . import say", None),
        ("main.py", "import command.setup.stages", None),
    ],
)
def test_an_import_that_goes_up_or_round_is_found(tmp_path: Path, file: str, content: str, fault: str | None) -> None:
    there = {"base/say.py": "", "base/files.py": "", "setup/stages.py": "from .kernel import find", "setup/kernel.py": "", "main.py": ""}
    for name, text in {**there, file: content}.items():
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    found = faults(tmp_path)
    assert len(found) == 1 and fault in found[0] if fault else found == []


def test_a_package_with_too_many_files_is_found(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        (tmp_path / f"module_{number}.py").touch()
    assert faults(tmp_path) == [f"{tmp_path.name} has {MOST_FILES + 1} files, more than {MOST_FILES}"]
