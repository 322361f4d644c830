# SPDX-License-Identifier: GPL-3.0-or-later
"""What a conversion could not take over: a sentence for each reason, with the names that it is said of."""

from __future__ import annotations

MOST_NAMES = 3


class Notes:
    """Sentences in the order in which they were first said."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}

    def say(self, text: str, name: str = "") -> None:
        """Note a reason; of an object by its name."""
        names = self._names.setdefault(text, [])
        if name and name not in names:
            names.append(name)

    def lines(self) -> list[str]:
        return [f"{_listed(names)}: {text}" if names else text for text, names in self._names.items()]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
