"""The code blocks of the operator's manual, docs/operacao.md."""

from dataclasses import dataclass
from pathlib import Path

MANUAL = Path(__file__).parents[2] / "docs/operacao.md"


@dataclass(frozen=True)
class Block:
    line: int
    heading: str
    text: str

    @property
    def first_line(self) -> str:
        return self.text.split("\n", 1)[0]


def blocks() -> list[Block]:
    """All blocks, in order."""
    found, heading, opened = [], "", None
    lines = MANUAL.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if opened is not None:
                text = "".join(f"{inner}\n" for inner in lines[opened + 1 : number])
                found.append(Block(opened + 2, heading, text))
            opened = number if opened is None else None
        elif opened is None and line.startswith("#"):
            heading = line.lstrip("# ")
    return found


def block(first_line: str) -> Block:
    """The only block with this first line."""
    [found] = [found for found in blocks() if found.first_line == first_line]
    return found


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    _, text = MANUAL.read_text().split(f"# {heading}\n", 1)
    rows = []
    for line in text.splitlines():
        if line.startswith("|"):
            # A vertical bar within a cell is escaped. The manual has none in these tables.
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]
