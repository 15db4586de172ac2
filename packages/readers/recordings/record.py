"""Writes the recordings beside it with OpenHTF itself: `python record.py`, with openhtf installed."""
import os
import re
import time

import openhtf as htf
from openhtf.output.callbacks import json_factory
from openhtf.util import configuration, units, validators

HERE = os.path.dirname(os.path.abspath(__file__))
configuration.CONF.load(station_id="bench-1")


@htf.measures(
    htf.Measurement("widget_type").matches_regex(r".*Widget$").doc("Type of the widget"),
    htf.Measurement("color").equals("Black"),
    htf.Measurement("size").in_range(1, 4).doc("Size of the widget"),
    htf.Measurement("marginal").in_range(0, 10, 2, 8),
    htf.Measurement("tolerance").within_percent(100, 5).with_units(units.VOLT),
    htf.Measurement("count").equals(3),
    htf.Measurement("is_on").equals(True),
    htf.Measurement("never_set").in_range(1, 2),
    htf.Measurement("nan"),
    htf.Measurement("infinite").in_range(maximum=3),
    htf.Measurement("object"),
    htf.Measurement("negative").in_range(-5, None).with_units("°C"),
)
def check_values(test):
    """Checks values of every kind."""
    test.logger.info("Checking values")
    test.logger.warning("Getting warm: 40 °C")
    measured = test.measurements
    measured.widget_type = "MyWidget"
    measured.color = "Black"
    measured.size = 3
    measured.marginal = 9
    measured.tolerance = 101.25
    measured["count"] = 3
    measured.is_on = True
    measured.nan = float("nan")
    measured.infinite = float("-inf")
    measured.object = {"a": [1, {"b": 2}]}
    measured.negative = -3


@htf.measures(
    htf.Measurement("sweep").with_dimensions(units.HERTZ).with_units(units.VOLT),
    htf.Measurement("cube").with_dimensions(
        units.HERTZ, units.SECOND, htf.Dimension(description="my_angle", unit=units.RADIAN)
    ),
    htf.Measurement("by_sensor").with_dimensions("sensor", "reading"),
    htf.Measurement("limited")
    .with_dimensions(units.SECOND)
    .with_validator(validators.dimension_pivot_validate(validators.in_range(0, 5))),
    htf.Measurement("gaps").with_dimensions(units.SECOND),
)
def measure_dimensions(test):
    for step in range(5):
        test.measurements.sweep[step] = 1 << step
    for x, y, z in zip(range(1, 5), range(21, 25), range(101, 105)):
        test.measurements.cube[x, y, z] = x + y + z
    test.measurements.by_sensor["CPU", 1] = 44.5
    for step in range(3):
        test.measurements.limited[step] = step
    test.measurements.gaps[0] = float("nan")
    test.measurements.gaps[1] = float("inf")


def attach_files(test):
    test.attach("note", b"This is the note.")
    test.attach("raw.bin", bytes(range(256)))


tries = [0]


@htf.PhaseOptions(repeat_limit=3)
@htf.measures(htf.Measurement("tries").in_range(2, 3))
def repeat_once(test):
    tries[0] += 1
    test.measurements.tries = tries[0]
    test.attach("try.txt", str(tries[0]).encode())
    return htf.PhaseResult.REPEAT if tries[0] < 2 else None


def skip_itself(test):
    return htf.PhaseResult.SKIP


@htf.measures(htf.Measurement("voltage").in_range(1, 2).with_units(units.VOLT))
def fail_limit(test):
    test.measurements.voltage = 5


def fail_and_continue(test):
    return htf.PhaseResult.FAIL_AND_CONTINUE


def stop_test(test):
    return htf.PhaseResult.STOP


def throw_error(test):
    raise ValueError("no answer from the bench €")


@htf.PhaseOptions(timeout_s=0.2)
def take_too_long(test):
    while True:
        time.sleep(0.05)


def abort_test(test):
    test_of["abort"].abort_from_sig_int()
    time.sleep(5)


class Diagnoses(htf.DiagResultEnum):
    COLD_JOINT = "cold joint"


@htf.PhaseDiagnoser(Diagnoses)
def find_cold_joint(phase_record):
    return htf.Diagnosis(Diagnoses.COLD_JOINT, "R7 is not soldered", is_failure=True)


@htf.diagnose(find_cold_joint)
def diagnosed(test):
    pass


def tear_down(test):
    test.logger.info("Tearing down")


class BrokenPlug(htf.plugs.BasePlug):
    def __init__(self):
        raise RuntimeError("the power supply is off")


@htf.plugs.plug(supply=BrokenPlug)
def use_plug(test, supply):
    pass


PHASES = {
    "every-kind": [
        check_values,
        measure_dimensions,
        attach_files,
        repeat_once,
        skip_itself,
        htf.Subtest("sub", fail_limit),
        fail_and_continue,
        diagnosed,
    ],
    "pass": [attach_files],
    "error": [throw_error, attach_files],
    "timeout": [take_too_long],
    "stop": [stop_test],
    "abort": [abort_test],
    "plug": [use_plug],
}
test_of = {}

for name, phases in PHASES.items():
    tries[0] = 0
    test = htf.Test(
        htf.PhaseGroup(main=phases, teardown=[tear_down]),
        test_name=name,
        test_description="A test of a widget",
        test_version="1.0.0",
        part_number="PCB01",
        revision="A",
        batch_number="1024-0001",
        procedure_id="FVT1",
        procedure_version="1.2.20",
        extra={"k": [1, 2]},
        gain=3.5,
    )
    test_of[name] = test
    inline = name != "pass"
    path = f"{HERE}/openhtf-{name}.json"
    test.add_output_callbacks(
        json_factory.OutputToJSON(path, inline_attachments=inline, allow_nan=True, indent=1)
    )
    test.execute(lambda: "SN-0042")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    root = re.escape(os.path.dirname(os.path.dirname(htf.__file__)))
    text = re.sub(root, "site-packages", text).replace(HERE, "bench")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o644)
