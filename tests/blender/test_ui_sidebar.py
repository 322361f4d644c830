# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar in every state of a mechanism, and the menus."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import bpy
import pytest
from recording_layout import RecordingLayout, operator_type

import redmax_blender
from redmax_blender import preferences, templates
from redmax_blender.bridge.check import result_findings
from redmax_blender.bridge.results import preparation
from redmax_blender.ops import simulate
from redmax_blender.properties import full_zip, references
from redmax_blender.ui import body, joint, kinds, lists, menus, physics, presets, sidebar, text_lines
from redmax_blender.ui import scene as scene_panels


@pytest.fixture
def state():
    state = bpy.context.window_manager.redmax
    yield state
    for name in (
        "running",
        "progress",
        "message",
        "failure",
        "preparing",
        "checked",
        "problems",
        "active_problem",
        "mechanisms",
        "active_mechanism",
    ):
        state.property_unset(name)


@pytest.fixture
def link(scene):
    """A body: without any there is nothing to say of a result."""
    made = bpy.data.objects.new("Link", None)
    scene.collection.objects.link(made)
    made.redmax.is_body = True
    return made


def drawn(panel):
    layout = RecordingLayout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def in_header(panel):
    layout = RecordingLayout()
    panel.draw_header_preset(SimpleNamespace(layout=layout), bpy.context)
    return layout.texts()


def add_problem(state, severity, element, text, hint="", fixes=""):
    problem = state.problems.add()
    problem.severity, problem.element, problem.text, problem.hint = severity, element, text, hint
    problem.fixes = fixes


def test_four_numbered_steps_stand_under_the_list_of_mechanisms_in_one_tab():
    in_tab = [panel for panel in sidebar.CLASSES if panel.bl_region_type == "UI"]
    top = [panel for panel in in_tab if not hasattr(panel, "bl_parent_id")]
    labels = ["Mechanisms", "1 Build", "2 Check", "3 Simulate", "4 Bake", "Variations", "Active Joint", "Status"]
    assert [panel.bl_label for panel in top] == labels, "what comes and goes stands below the steps"
    assert {panel.bl_category for panel in in_tab} == {"RedMax"}


def test_each_step_has_its_button():
    assert "redmax.make_mechanism" in drawn(sidebar.REDMAX_PT_build).operators()
    assert "REDMAX_MT_connect" in drawn(sidebar.REDMAX_PT_build).menus()
    assert "redmax.check" in drawn(sidebar.REDMAX_PT_check).operators()
    assert "redmax.simulate" in drawn(sidebar.REDMAX_PT_simulate).operators()
    assert {"redmax.bake", "redmax.remove_bake"} <= set(drawn(sidebar.REDMAX_PT_bake).operators())


def test_mechanisms_say_their_size_and_whether_they_are_sound(state):
    for root, bodies, dofs, loops, problems in (("Crane", 4, 3, 0, 0), ("Lift", 1, 6, 2, 1)):
        mechanism = state.mechanisms.add()
        mechanism.root, mechanism.bodies, mechanism.dofs = root, bodies, dofs
        mechanism.loops, mechanism.problems = loops, problems
    layout = drawn(sidebar.REDMAX_PT_mechanisms)
    assert layout.texts()[:4] == ["Crane", "3 DOF", "Lift", "6 DOF"]
    state.checked = True
    assert in_header(sidebar.REDMAX_PT_mechanisms) == ["4 bodies"]
    state.active_mechanism = 1
    assert in_header(sidebar.REDMAX_PT_mechanisms) == ["1 body"]
    state.active_mechanism = 99
    drawn(sidebar.REDMAX_PT_mechanisms)
    assert in_header(sidebar.REDMAX_PT_mechanisms) == []
    state.mechanisms.add().root = "Boat"
    state.mechanisms[2].warnings = 1
    state.mechanisms.add().root = "Mill"
    state.mechanisms[3].enabled, state.mechanisms[3].problems = False, 2
    again = drawn(sidebar.REDMAX_PT_mechanisms)
    icons = [c.arguments["icon"] for c in again.calls if c.what == "label" and "icon" in c.arguments]
    assert icons[:4] == ["CHECKMARK", "CANCEL", "ERROR", "RADIOBUT_OFF"]
    assert "operator" not in [call.what for call in again.calls], "buttons are in the header, of the active row"
    state.active_mechanism = 1
    layout = RecordingLayout()
    sidebar.REDMAX_PT_mechanisms.draw_header_preset(SimpleNamespace(layout=layout), bpy.context)
    pressed = [call.arguments["settings"] for call in layout.calls if call.what == "operator"]
    assert pressed == [{"name": "Lift"}, {"root": "Lift"}]


def test_check_shows_problems_by_severity_and_the_hint_of_the_active_one(state):
    assert drawn(sidebar.REDMAX_PT_check).texts() == ["Check", "Looks for what would go wrong"]
    state.checked = True
    assert drawn(sidebar.REDMAX_PT_check).texts() == ["Check", "No problems found"]
    state.outdated = True
    assert drawn(sidebar.REDMAX_PT_check).texts()[0] == "Check Again"
    add_problem(state, "ERROR", "Pin", "Joint 'Pin' has no child body", "pick one")
    add_problem(state, "WARNING", "Rod", "'Rod' is open", "use its hull")
    add_problem(state, "INFO", "", "Nothing moves")
    layout = drawn(sidebar.REDMAX_PT_check)
    labels = [(c.text, c.arguments["icon"]) for c in layout.calls if c.what == "label"]
    assert labels[:3] == [
        ("Joint 'Pin' has no child body", "CANCEL"),
        ("'Rod' is open", "ERROR"),
        ("Nothing moves", "INFO"),
    ]
    assert "Pick one" in layout.texts()
    assert "Use its hull" not in layout.texts()
    state.active_problem = 1
    assert "Use its hull" in drawn(sidebar.REDMAX_PT_check).texts()
    selects = [
        c.arguments["settings"]["name"] for c in layout.calls if c.arguments.get("operator") == "redmax.select_element"
    ]
    assert selects == ["Pin", "Rod"], "the scene itself cannot be selected"
    state.active_problem = 99
    drawn(sidebar.REDMAX_PT_check)


def test_rows_show_the_beginning_of_a_long_sentence(state):
    """Blender would show both ends and cut out what is wrong."""
    sentence = "'Tower' is not closed; its mass would be wrong until its holes are filled"
    narrow = SimpleNamespace(region=SimpleNamespace(width=260), preferences=bpy.context.preferences)
    shown = text_lines.shortened(narrow, sentence, icons=2)
    assert sentence.startswith(shown[:-1].rstrip())
    assert shown.endswith("\u2026")
    assert len(shown) <= text_lines.characters(narrow)
    assert text_lines.shortened(narrow, "Short", icons=2) == "Short"


def test_a_running_simulation_shows_its_progress_and_nothing_to_press(state):
    state.running, state.progress, state.message = True, 0.425, "Frame 102 of 240"
    layout = drawn(sidebar.REDMAX_PT_simulate)
    progress = next(call for call in layout.calls if call.what == "progress")
    assert progress.arguments["factor"] == pytest.approx(0.425)
    assert layout.operators() == []
    assert "Frame 102 of 240" in layout.texts()
    assert "ESC" in " ".join(layout.texts())


def test_a_result_says_how_far_it_came_and_whether_it_still_holds(scene, link):
    result = scene.redmax.result
    assert "redmax.clear_result" not in drawn(sidebar.REDMAX_PT_simulate).operators()
    result.identifier, result.status, result.route = "abc", "stopped", "numpy 2.3.4"
    result.frame_start, result.frame_end, result.seconds = 1, 142, 2.34
    result.message = "Stopped after frame 142. Frames 1-142 kept"
    said = " ".join(drawn(sidebar.REDMAX_PT_simulate).texts())
    assert "Show Frames 1 to 142" in said
    assert result.message not in said, "who has stopped it knows"
    told = simulate.REDMAX_OT_show_result.description(bpy.context, None)
    assert told.endswith(".\nFrames 1 to 142, stopped early, simulated in 2.3 s by numpy 2.3.4")
    result.status, result.message = "failed", "'Link' exceeds 500 m/s"
    said = " ".join(drawn(sidebar.REDMAX_PT_simulate).texts())
    assert "Show Frames 1 to 142" in said
    assert "'Link' exceeds 500 m/s" in said
    assert "Settings changed since the simulation" not in said
    result.changed = True
    layout = drawn(sidebar.REDMAX_PT_simulate)
    assert "Settings changed since the simulation" in " ".join(layout.texts())
    assert {"redmax.show_result", "redmax.clear_result"} <= set(layout.operators())


def test_a_complete_result_says_what_should_be_known_of_it(scene, link):
    result = scene.redmax.result
    result.identifier, result.status, result.message = "abc", "complete", "Simulated frames 1-48"
    assert "balance" not in " ".join(drawn(sidebar.REDMAX_PT_simulate).texts())
    result.remark = "From frame 6 on the energy does not balance"
    layout = drawn(sidebar.REDMAX_PT_simulate)
    assert result.remark in " ".join(layout.texts())
    fixes = [c.arguments["settings"] for c in layout.calls if c.arguments.get("operator") == "redmax.fix"]
    assert fixes == [{"fix": "ACCURACY_HIGH", "element": ""}]


def test_a_simulation_that_gave_nothing_says_why_and_what_may_help(state, link):
    state.message = state.failure = "Stopped at frame 2: 'Link' exceeds 1,000,000 m/s; nothing was kept"
    layout = drawn(sidebar.REDMAX_PT_simulate)
    assert state.failure in " ".join(layout.texts())
    assert not sidebar.REDMAX_PT_status.poll(bpy.context), "once is enough"
    fixes = [c.arguments["settings"] for c in layout.calls if c.arguments.get("operator") == "redmax.fix"]
    assert fixes == [{"fix": "ACCURACY_HIGH", "element": ""}]
    assert state.failure not in " ".join(drawn(sidebar.REDMAX_PT_mechanisms).texts()), "once is enough"
    bpy.context.scene.redmax.result.identifier = "of a former run"
    said = [call.text for call in drawn(sidebar.REDMAX_PT_simulate).calls if call.what == "label"]
    assert len(said) == sidebar.NOTICE_LINES, "less room beside a result"
    assert sidebar.REDMAX_PT_status.poll(bpy.context), "which says the whole of it"


def test_an_old_result_is_baked_only_on_demand(scene, link):
    def buttons():
        calls = drawn(sidebar.REDMAX_PT_bake).calls
        return [c.arguments["settings"] for c in calls if c.arguments.get("operator") == "redmax.bake"]

    assert buttons() == [{}]
    scene.redmax.result.identifier, scene.redmax.result.changed = "abc", True
    assert buttons() == [{"allow_stale": True}], "in place of the button"
    assert "redmax.simulate" in drawn(sidebar.REDMAX_PT_bake).operators()
    assert "bake would differ" in " ".join(drawn(sidebar.REDMAX_PT_simulate).texts()), "said in one place"


def test_nothing_is_said_of_a_result_whose_bodies_were_deleted(scene, state, link):
    result = scene.redmax.result
    result.identifier, result.status, result.changed = "abc", "complete", True
    state.failure = "Stopped at frame 2"
    bpy.data.objects.remove(link)
    said = " ".join(drawn(sidebar.REDMAX_PT_simulate).texts())
    assert "Frames" not in said
    assert "Stopped" not in said
    assert "bake would differ" not in said
    assert "redmax.simulate" not in drawn(sidebar.REDMAX_PT_bake).operators(), "there is nothing to simulate again"
    assert not list(result_findings.result_findings(scene))


def test_the_last_status_line_stays_readable(state):
    state.message = "Baked 240 frames, 6 objects, 10080 keys"
    assert state.message in " ".join(drawn(sidebar.REDMAX_PT_status).texts())
    said = [panel for panel in sidebar.CLASSES if not hasattr(panel, "poll") and state.message in all_texts(panel)]
    assert said == [], "there is one status line"
    assert sidebar.REDMAX_PT_status.poll(bpy.context)
    state.running = True
    assert not sidebar.REDMAX_PT_status.poll(bpy.context)
    state.running, state.message = False, ""
    assert not sidebar.REDMAX_PT_status.poll(bpy.context)


def all_texts(panel):
    return " ".join(drawn(panel).texts())


LONG = [
    ("WARNING", f"Link {n}", "'Link' stands 0.2 m from its pins 'Link Hinge' and 'Link Hinge.001'", "do this", "RESET")
    for n in range(9)
]


@pytest.mark.parametrize(
    "problems", [[], [("INFO", "", "Nothing moves")], LONG, [("ERROR", "P", "No child", "", "PICK")]]
)
def test_nothing_jumps_when_check_changes(state, problems):
    """The list has a fixed number of rows, its sentence a fixed number of lines, and the buttons one row."""
    for problem in problems:
        add_problem(state, *problem)
    layout = drawn(sidebar.REDMAX_PT_check)
    place = next(index for index, call in enumerate(layout.calls) if call.what == "template_list")
    assert layout.calls[place].arguments["rows"] == layout.calls[place].arguments["maxrows"]
    first = [call.what for call in layout.calls].index("column", place)
    below = [call.what for call in layout.calls[first + 1 :]]
    buttons = below.index("row") if "row" in below else len(below) - 1
    assert below[:buttons] == ["label"] * sidebar.PROBLEM_LINES
    assert below[buttons:] in (["label"], ["row", "operator"], ["row", "prop", "operator"], ["row", "operator"])


@pytest.mark.parametrize("accuracy", ["STANDARD", "CUSTOM"])
@pytest.mark.parametrize("status", ["complete", "stopped", "failed"])
@pytest.mark.parametrize("changed", [False, True])
def test_bake_stays_in_sight_whatever_simulate_has_to_say(state, link, accuracy, status, changed):
    """Heights of what may stand above Bake in a window 1000 pixels high; tests/window looks at the real thing."""
    settings, sentence = link.users_scene[0].redmax, "Stopped at frame 20: 'Crane Rope 3' goes faster than it can. " * 3
    settings.accuracy, settings.result.status, settings.result.changed = accuracy, status, changed
    settings.result.identifier = settings.former.identifier = "abc"
    settings.result.message = settings.result.remark = sentence
    for state.failure in ("", sentence):
        for state.preparing in (-1.0, 0.4):
            calls = drawn(sidebar.REDMAX_PT_simulate).calls
            assert sum(call.what in {"row", "progress"} for call in calls) <= 4
            assert sum(call.what == "label" for call in calls) <= sidebar.NOTICE_LINES
    for panel in (sidebar.REDMAX_PT_mechanisms, sidebar.REDMAX_PT_check):
        (rows,) = (call.arguments for call in drawn(panel).calls if call.what == "template_list")
        assert rows["rows"] == rows["maxrows"] == 2


def bake_properties():
    panels = (sidebar.REDMAX_PT_bake, sidebar.REDMAX_PT_bake_options)
    return [shown for panel in panels for shown in drawn(panel).properties()]


def test_advanced_options_of_the_bake_are_closed_and_its_button_stands_first():
    assert "DEFAULT_CLOSED" in sidebar.REDMAX_PT_bake_options.bl_options
    assert not [panel for panel in sidebar.CLASSES if "HIDE_HEADER" in getattr(panel, "bl_options", ())]
    calls = [call.what for call in drawn(sidebar.REDMAX_PT_bake).calls]
    assert calls.index("operator") < calls.index("prop")


def test_only_a_custom_bake_range_asks_for_frames(scene):
    options = scene.redmax.bake
    for choice in ("SCENE", "PREVIEW", "CUSTOM"):
        options.range = choice
        shown = [name for name, _ in bake_properties()]
        assert ("frame_start" in shown) == (choice == "CUSTOM")


def test_keys_ask_for_what_they_need_and_every_option_is_in_the_panel(scene):
    strand = bpy.data.objects.new("Strand", None)
    strand.redmax.is_strand = True
    shape = bpy.data.objects.new("Rope", bpy.data.curves.new("Rope", "CURVE"))
    shape.redmax.shows = strand
    scene.collection.objects.link(shape)
    options = scene.redmax.bake
    options.range = "CUSTOM"
    asked = {"EVERY": set(), "FEWER": {"max_distance", "max_angle"}, "EVERY_N": {"every"}}
    seen = set()
    for choice, wanted in asked.items():
        options.keys = choice
        shown = {name for name, _ in bake_properties()}
        assert shown & {"max_distance", "max_angle", "every"} == wanted
        seen |= shown
    behind_a_pick = {f"seen_from{end}" for end in (references.BONE, references.BONE_ID, references.KNOWN)}
    assert set(type(options).__annotations__) - behind_a_pick == seen


def test_what_a_range_cannot_be_is_said(scene):
    options = scene.redmax.bake
    options.range = "PREVIEW"
    assert "no preview range" in all_texts(sidebar.REDMAX_PT_bake_options)
    scene.use_preview_range = True
    assert "no preview range" not in all_texts(sidebar.REDMAX_PT_bake_options)
    options.range, options.frame_start, options.frame_end = "CUSTOM", 9, 3
    assert "The range is empty" in all_texts(sidebar.REDMAX_PT_bake_options)


def test_counts_are_written_as_people_say_them():
    assert lists.count(1, "loop") == "1 loop"
    assert lists.count(2, "loop") == "2 loops"
    assert lists.count(0, "body", "bodies") == "0 bodies"


def test_long_sentences_are_broken_into_lines_that_fit():
    narrow = SimpleNamespace(region=SimpleNamespace(width=240), preferences=bpy.context.preferences)
    sentence = "'Plate' is not closed; its mass would be wrong, so use its hull, use a box or enter the mass"
    layout = RecordingLayout()
    text_lines.draw_text(layout, narrow, sentence, "ERROR")
    assert " ".join(layout.texts()) == sentence
    assert max(map(len, layout.texts())) <= text_lines.characters(narrow)
    icons = [call.arguments["icon"] for call in layout.calls if call.what == "label"]
    assert icons[0] == "ERROR"
    assert set(icons[1:]) == {"BLANK1"}


def menu_operators(menu):
    layout = RecordingLayout()
    menu.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.operators()


def test_every_template_is_in_the_add_menu():
    assert templates.TEMPLATES
    offered = menu_operators(menus.REDMAX_MT_add_mechanism)
    assert offered == [f"redmax.add_{t.NAME}" for t in sorted(templates.TEMPLATES, key=lambda each: each.LABEL)]


def test_menus_are_appended_where_artists_look():
    for menu, draw in menus.APPENDED:
        layout = RecordingLayout()
        draw(SimpleNamespace(layout=layout), bpy.context)
        assert layout.calls
        assert draw in menu.draw._draw_funcs


def test_disabling_takes_every_panel_list_and_menu_entry_back():
    classes = [cls for module in (body, joint, lists, menus, presets, scene_panels, sidebar) for cls in module.CLASSES]
    appended = (*physics.APPENDED, *menus.APPENDED)
    assert all(hasattr(bpy.types, cls.__name__) for cls in classes)
    redmax_blender.unregister()
    try:
        assert not [cls.__name__ for cls in classes if hasattr(bpy.types, cls.__name__)]
        assert not [draw for owner, draw in appended if draw in owner.draw._draw_funcs]
    finally:
        redmax_blender.register()
    assert all(draw in owner.draw._draw_funcs for owner, draw in appended)


def test_every_operator_can_be_reached_from_a_panel_or_a_menu(state, scene, monkeypatch):
    """Nothing is hidden: each operator is drawn somewhere."""
    import test_ui_panels

    scene.redmax.result.identifier = scene.redmax.former.identifier = "abc"
    scene.redmax.variations.rows.add()
    scene.redmax.variations.changed = True
    monkeypatch.setattr(full_zip, "wanted", lambda: "redmax_blender-full.zip")
    state.checked = True
    add_problem(state, "ERROR", "Pin", "text", fixes="PICK,ENTER_MASS")
    state.mechanisms.add().root = "Pin"
    reached = set()
    rod = test_ui_panels.new_body()
    pin = test_ui_panels.new_joint("composite")
    for kind in ("revolute", "revolute"):
        pin.redmax.joint.parts.add().kind = kind
    pin.redmax.joint.motion_type = "animated"
    knee = test_ui_panels.new_joint("custom")
    cable = bpy.data.objects.new("Cable", None)
    scene.collection.objects.link(cable)
    cable.redmax.is_force, cable.redmax.force.kind = True, "cable"
    rail = bpy.data.objects.new("Rail", None)
    scene.collection.objects.link(rail)
    rail.redmax.is_track = True
    rock = bpy.data.objects.new("Rock", None)
    scene.collection.objects.link(rock)
    rock.redmax.is_surface = True
    for obj in (rod, pin, knee, cable, rail, rock):
        bpy.context.view_layer.objects.active = obj
        for layout in test_ui_panels.drawn().values():
            reached.update(layout.operators())
    for menu in (*menus.CLASSES, kinds.REDMAX_MT_connect, kinds.REDMAX_MT_kind):
        reached.update(menu_operators(menu))
    for menu in presets.CLASSES:
        reached.update((menu.preset_operator, menu.preset_add_operator))
    for _, draw in menus.APPENDED:
        layout = RecordingLayout()
        draw(SimpleNamespace(layout=layout), bpy.context)
        reached.update(layout.operators())
    compiled = preparation.Solver("Compiled", compiled=True, ready=False, size=0, note="")
    monkeypatch.setattr(preparation, "solver", lambda: compiled)
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    reached.update(layout.operators())
    assert {f"redmax.{name}" for name in dir(bpy.ops.redmax)} - reached == set()


def test_every_operator_has_a_title_and_a_tooltip_without_a_final_period():
    small = {"to", "with", "and", "or", "from"}
    for name in dir(bpy.ops.redmax):
        rna = operator_type(f"redmax.{name}")
        assert all(word in small or word[0].isupper() for word in rna.name.split()), rna.name
        assert rna.description, name
        assert not rna.description.endswith("."), name
        for prop in rna.properties:
            if prop.identifier != "rna_type" and not prop.is_hidden and prop.subtype != "FILE_PATH":
                assert prop.name, f"{name}.{prop.identifier}"
                assert prop.description, f"{name}.{prop.identifier}"
                assert not prop.description.endswith("."), f"{name}.{prop.identifier}"


def test_every_property_has_a_tooltip_without_a_final_period():
    """Of everything that the panels show; what nobody sees may be bare."""
    import test_ui_panels

    seen = 0
    test_ui_panels.new_body()
    for kind in ("composite", "screw", "free"):
        pin = test_ui_panels.new_joint(kind)
        pin.redmax.joint.parts.add()
        for layout in test_ui_panels.drawn().values():
            for call in layout.calls:
                if call.what == "prop" and not call.arguments["property"].startswith("["):
                    described = call.arguments["data"].bl_rna.properties[call.arguments["property"]]
                    assert described.description
                    assert not described.description.endswith("."), described.identifier
                    seen += 1
    assert seen > 50


def test_preferences_name_the_engine_and_its_wheels():
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    said = layout.texts()
    import numpy as np

    import redmax

    assert f"RedMax {redmax.__version__}" in said
    assert np.__version__ in said
    assert said[said.index("scipy") + 1].startswith(("1.", "not installed"))


def test_preferences_name_the_version_of_a_wheel_that_was_left_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setattr(preferences.metadata, "version", {"scipy": "9.9"}.get)
    preferences.facts.cache_clear()
    assert ("scipy", "9.9") in preferences.facts().versions
    preferences.facts.cache_clear()


def test_preferences_show_a_wheel_that_does_not_fit(monkeypatch):
    sentence = "scipy 9.9 is not a version RedMax knows " * 4
    monkeypatch.setattr(preferences.wheels, "problems", lambda: [sentence])
    preferences.facts.cache_clear()
    layout = RecordingLayout()
    preferences.REDMAX_AP_preferences.draw(SimpleNamespace(layout=layout), bpy.context)
    preferences.facts.cache_clear()
    lines = [c.text for c in layout.calls if c.what == "label" and c.arguments.get("icon") in ("ERROR", "BLANK1")]
    assert " ".join(lines) == sentence.strip()
    assert len(lines) > 1


def test_mechanisms_whose_long_names_differ_at_the_end_do_not_look_alike(scene):
    state = bpy.context.window_manager.redmax
    for number in (1, 2):
        state.mechanisms.add().root = f"Double Pendulum Stand.00{number}"
    shown = [text for text in drawn(sidebar.REDMAX_PT_mechanisms).texts() if "Stand" in text]
    assert [text[-9:] for text in shown] == ["Stand.001", "Stand.002"]
    assert max(map(len, shown)) < len("Double Pendulum Stand.001")
