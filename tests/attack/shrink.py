# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a failing case small: leaves out whatever the same verdict does not need."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

from .judge import Judge, Verdict

LISTS = ("drives", "constraints", "strands", "forces")
KEPT = {"kind", "name", "parent", "child", "axis", "pitch", "parts", "sequence", "frame_in_parent", "frame_in_child"}


def shrink(case: dict[str, Any], verdict: Verdict, judge: Judge, *, seconds: float) -> dict[str, Any]:
    """The smallest case found in that time with the same verdict."""
    end = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for smaller in (*texts(case),) if "text" in case else scenes(case):
            if time.monotonic() > end:
                return case
            if alike(judge.judge(smaller), verdict):
                case, changed = smaller, True
                break
    return case


def alike(one: Verdict, other: Verdict) -> bool:
    """Whether two cases end in the same way; one that must run to its end may be refused, which is another one."""
    return one.name == other.name and one.detail.startswith("Stopped") == other.detail.startswith("Stopped")


def scenes(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Smaller cases, the most daring first."""
    if "scene" not in case:
        return
    scene = case["scene"]
    for body in reversed(scene.get("bodies", [])):
        yield with_scene(case, without_body(scene, body["name"]))
    for key in ("joints", *LISTS):
        for k in range(len(scene.get(key, [])) - 1, -1, -1):
            yield with_scene(case, without_item(scene, key, k))
    if case["duration"] * case["fps"] > 1.5:
        yield {**case, "duration": case["duration"] / 2.0}
    for key in ("joints", *LISTS):
        for k, item in enumerate(scene.get(key, [])):
            for name in item.keys() - KEPT - {"body", "points", "joint", "leader", "follower", "followers"}:
                smaller = copy.deepcopy(scene)
                del smaller[key][k][name]
                yield with_scene(case, smaller)
    rounded = simpler(scene)
    if rounded != scene:
        yield with_scene(case, rounded)


def with_scene(case: dict[str, Any], scene: dict[str, Any]) -> dict[str, Any]:
    return {**case, "scene": scene}


def without_body(scene: dict[str, Any], name: str) -> dict[str, Any]:
    """The scene without a body and everything that refers to it or to its joints."""
    smaller = copy.deepcopy(scene)
    smaller["bodies"] = [body for body in smaller["bodies"] if body["name"] != name]
    gone = {j["name"] for j in smaller["joints"] if name in (j["parent"], j["child"])}
    smaller["joints"] = [j for j in smaller["joints"] if j["name"] not in gone]
    for key in LISTS:
        items = smaller.get(key, [])
        smaller[key] = [item for item in items if not refers(item, gone | {name})]
    return smaller


def without_item(scene: dict[str, Any], key: str, k: int) -> dict[str, Any]:
    smaller = copy.deepcopy(scene)
    item = smaller[key].pop(k)
    if key == "joints":
        for other in LISTS:
            smaller[other] = [each for each in smaller.get(other, []) if not refers(each, {item["name"]})]
    return smaller


def refers(item: Any, names: set[str]) -> bool:
    if isinstance(item, dict):
        return any(refers(value, names) for key, value in item.items() if key != "name")
    if isinstance(item, list):
        return any(refers(value, names) for value in item)
    return isinstance(item, str) and item in names


def simpler(value: Any) -> Any:
    """Numbers of a scene with four digits; unit quaternions stay exact."""
    if isinstance(value, dict):
        return {key: item if key == "rotation" else simpler(item) for key, item in value.items()}
    if isinstance(value, list):
        return [simpler(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def texts(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Shorter texts of a file."""
    text = case["text"]
    for parts in (2, 4, 8, 16):
        length = max(1, len(text) // parts)
        for start in range(0, len(text), length):
            if len(text) > length:
                yield {**case, "text": text[:start] + text[start + length :]}
