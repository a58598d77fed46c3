"""What is installed and how: the wheel, the locks and the image, as far as they can be tried without an engine."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from api.cli import cli
from api.games import RULESETS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUN, TEST, BUILD = (ROOT / ".ci" / f"requirements{part}.txt" for part in ("", "-test", "-build"))
EXTRA = PROJECT["project"]["optional-dependencies"]["test"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    with zipfile.ZipFile(next(folder.iterdir())) as built:
        yield built


def pins(lock: Path) -> dict[str, Requirement]:
    """The requirements of a lock, by name."""
    text = re.sub(r"\\\n", "", re.sub(r"(?m)^ *#.*\n", "", lock.read_text()))
    found = [Requirement(line.partition(" --hash=")[0].strip()) for line in text.splitlines()]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def instructions(name: str) -> list[str]:
    """What stands behind each ``name`` of the Dockerfile, on one line."""
    return re.findall(rf"(?m)^ *{name} (.*)", re.sub(r"\s*\\\n\s*", " ", DOCKERFILE))


def test_the_wheel_carries_every_file_of_its_packages(wheel: zipfile.ZipFile) -> None:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    files = {
        path.relative_to(ROOT).as_posix()
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == files


def test_the_wheel_works_where_it_is_unpacked(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    program = (
        "import api, json; from api.games import RULESETS; from api.store import schema;"
        "print(json.dumps([api.__file__, schema.revisions(), sorted({key[0] for key in RULESETS})]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    where, revisions, rulesets = json.loads(done.stdout)
    assert Path(where).is_relative_to(tmp_path)
    assert revisions
    assert rulesets == sorted({key[0] for key in RULESETS})


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        (RUN, PROJECT["project"]["dependencies"]),
        (TEST, PROJECT["project"]["dependencies"] + EXTRA),
        (BUILD, PROJECT["build-system"]["requires"]),
    ],
    ids=["run", "test", "build"],
)
def test_a_lock_satisfies_the_project(lock: Path, wanted: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        (version,) = pinned[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(version.version), requirement


def test_the_locks_agree() -> None:
    # One and the same pin is conditional in the lock where only a conditional package asks for it.
    run, test, build = ({name: pin.specifier for name, pin in pins(lock).items()} for lock in (RUN, TEST, BUILD))
    assert run.items() <= test.items()
    assert build.items() <= test.items()


@pytest.mark.parametrize("lock", [RUN, TEST, BUILD], ids=lambda lock: lock.name)
def test_a_lock_pins_by_hash_and_holds_no_address(lock: Path) -> None:
    text = lock.read_text()
    for name, requirement in pins(lock).items():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], name
        assert requirement.url is None, name
        assert re.search(rf"(?m)^{name}(\[\w+\])?==.*\\\n +--hash=sha256:[0-9a-f]{{64}}", text), name
    assert "://" not in text
    assert not re.search(r"(?m)^\s*(-i|-f|-e|--(?!hash=sha256:))", text)


def test_the_lock_of_what_is_in_javascript_pins_by_hash() -> None:
    wanted = json.loads((ROOT / ".ci/package.json").read_text())["devDependencies"]
    root, *pinned = json.loads((ROOT / ".ci/package-lock.json").read_text())["packages"].values()
    assert root["devDependencies"] == wanted
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    for package in pinned:
        assert package["integrity"].startswith("sha512-")
        assert "resolved" not in package


@pytest.mark.parametrize("path", [ROOT / "Dockerfile", *sorted((ROOT / ".ci").iterdir())], ids=lambda path: path.name)
def test_no_address_of_a_registry_is_written_out(path: Path) -> None:
    # whom a package wants to be paid by is no place that it comes from
    text = re.sub(r'"url": ".*"', "", path.read_text()) if path.suffix == ".json" else path.read_text()
    assert not re.search(r"//(?!127\.0\.0\.1)[\w-]+\.\w+", text)


def test_the_image_installs_from_the_lock() -> None:
    installs = [step for step in re.split(r"&&|\n", "\n".join(instructions("RUN"))) if " install " in step]
    assert any(f".ci/{RUN.name}" in step for step in installs)
    for step in installs:
        assert ("--require-hashes" in step) == ("-r " in step), step
        assert "-r " in step or "--no-deps" in step, step


def test_the_image_is_given_what_it_copies() -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert sorted(copied) == sorted(let_in)
    assert all((ROOT / source).exists() for source in copied)


def test_the_image_is_pinned_unprivileged_and_checks_its_health() -> None:
    assert len({line.split()[0] for line in instructions("FROM")}) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", instructions("FROM")[-1])
    (user,) = instructions("USER")
    assert int(user) > 0
    (check,) = instructions("HEALTHCHECK")
    program, option, code = json.loads(check.partition("CMD ")[2])
    assert (program, option) == ("python", "-c")
    compile(code, "HEALTHCHECK", "exec")
    assert "/healthz" in code


def test_the_image_runs_a_command_that_exists() -> None:
    assert [json.loads(line) for line in instructions("ENTRYPOINT")] == [["tricklog"]]
    # The last CMD: HEALTHCHECK has one too.
    command, *options = json.loads(instructions("CMD")[-1])
    cli.commands[command].make_context(command, options)
