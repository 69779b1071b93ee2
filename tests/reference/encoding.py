"""Records to bytes, in all the ways JSON lets one value be written."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Raw:
    """A value given as JSON text."""

    text: str


@dataclass
class Doubled:
    """An object with names written more than once, in this order."""

    pairs: list[tuple[str, Any]]


@dataclass
class Style:
    """How values are written: escapes only, or raw UTF-8; needless escapes; spaces."""

    ascii: bool = True
    escapes: float = 0.0
    spaces: bool = False

    @staticmethod
    def draw(rng: random.Random) -> Style:
        return Style(
            ascii=rng.random() < 0.8,
            escapes=rng.choice([0.0] * 6 + [0.1]),
            spaces=rng.random() < 0.15,
        )


def text(value: str, style: Style, rng: random.Random) -> str:
    """A JSON string. Lone surrogates stay escapes, whatever the style."""
    made = json.dumps(value, ensure_ascii=style.ascii)
    if any(0xD800 <= ord(c) <= 0xDFFF for c in made):
        made = json.dumps(value)
    if style.escapes:
        out = []
        previous = ""
        for c in made:
            plain = c.isascii() and c.isalnum() and previous != "\\" and "\\" not in out[-6:]
            out.append(f"\\u{ord(c):04x}" if plain and rng.random() < style.escapes else c)
            previous = c
        made = "".join(out)
    return made


def encode(value: Any, style: Style, rng: random.Random) -> str:
    comma, colon = (", ", ": ") if style.spaces else (",", ":")
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Doubled):
        pairs = value.pairs
    elif isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        return "[" + comma.join(encode(item, style, rng) for item in value) + "]"
    elif isinstance(value, str):
        return text(value, style, rng)
    else:
        return json.dumps(value)
    return "{" + comma.join(text(n, style, rng) + colon + encode(v, style, rng) for n, v in pairs) + "}"
