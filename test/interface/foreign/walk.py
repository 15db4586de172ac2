"""Walks the interface as a client does that nobody here wrote: Python's standard library and nothing else.

usage: RUNLEDGER_URL=… RUNLEDGER_API_KEY=… python3 walk.py
Prints one line for each thing that held, and ends with 1 at the first that did not.
"""

import http.client
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ["RUNLEDGER_URL"]
KEY = os.environ["RUNLEDGER_API_KEY"]
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.content_type = headers.get("Content-Type")
        self.body = body

    def json(self):
        return json.loads(self.body)


class Service:
    """The interface below one prefix."""

    def __init__(self, prefix, scheme):
        self.prefix = prefix
        self.headers = {"Authorization": f"{scheme} {KEY}"}

    def ask(self, method, path, body=None, headers=None):
        sent = dict(self.headers)
        data = None
        if body is not None:
            sent["Content-Type"] = "application/json"
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent.update(headers or {})
        request = urllib.request.Request(URL + self.prefix + path, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())

    def ok(self, method, path, body=None, headers=None):
        answer = self.ask(method, path, body, headers)
        check(answer.status == 200, f"{method} {self.prefix}{path} answers 200", answer)
        check(answer.content_type == "application/json", "labelled exactly application/json", answer)
        return answer.json()

    def refused(self, expected, method, path, body=None, headers=None):
        status, code = expected
        answer = self.ask(method, path, body, headers)
        what = f"{method} {self.prefix}{path} answers {status} {code}"
        check(answer.status == status and answer.content_type == "application/json", what, answer)
        record = answer.json()
        check(record["code"] == code and isinstance(record["message"], str), what, answer)
        check(isinstance(record["issues"], list), what, answer)
        for issue in record["issues"]:
            check(isinstance(issue["path"], list) and isinstance(issue["message"], str), what, answer)
        if path.startswith("/v1/"):
            check(record["status_code"] == status, f"{what}, with status_code", answer)
            check(record["error"]["message"] == record["message"], f"{what}, with error.message", answer)
        return record


def check(holds, what, answer=None):
    if holds:
        print(f"ok {what}")
        return
    seen = "" if answer is None else f"\n{answer.status} {answer.content_type} {answer.body[:2000]!r}"
    sys.exit(f"not ok {what}{seen}")


def put(address, chunks, headers=None):
    """PUT without a Content-Type, which urllib cannot: it would make one up."""
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    is_chunked = not isinstance(chunks, bytes)
    extra = {"Transfer-Encoding": "chunked"} if is_chunked else {}
    connection.request(
        "PUT", f"{parts.path}?{parts.query}", chunks, {**extra, **(headers or {})}, encode_chunked=is_chunked
    )
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, response.read())
    connection.close()
    check(answer.status == 200 and answer.body == b"", "PUT of bytes answers 200 with an empty body", answer)


def put_as_urllib_does(address, data):
    """urllib labels every body without a Content-Type as a form."""
    request = urllib.request.Request(address, data=data, method="PUT")
    with urllib.request.urlopen(request, timeout=30) as response:
        check(response.status == 200, "PUT as urllib sends it answers 200")


def download(run, name):
    attachment = next(one for one in run["attachments"] if one["name"] == name)
    with urllib.request.urlopen(attachment["download_url"], timeout=30) as response:
        return response.read()


def create_runs(service, procedure, name):
    """One run through each of the three paths; answers their ids."""
    unit = {"serial_number": f"{name}-1", "part_number": f"{name}-part", "revision": "A"}
    strict = service.ok(
        "POST",
        "/v1/runs/create",
        {
            "procedure_id": f"{name}-procedure".lower(),
            "unit_under_test": unit,
            "run_passed": False,
            "duration": "PT27M15S",
            "started_at": "2026-11-20T09:30:00.123456+01:00",
            "steps": [
                {
                    "name": "voltage",
                    "step_passed": False,
                    "started_at": "2026-11-20T09:30:00.5+01:00",
                    "duration": "PT1.5S",
                    "measurement_unit": "V",
                    "measurement_value": 3.4,
                    "limit_low": 3.2,
                    "limit_high": None,
                }
            ],
            "report_variables": {"walk": name, "operator": "Zoë 🙂"},
            "attachments": ["report.pdf"],
            "a key of some other service": {"deep": [1]},
        },
    )
    check(strict["url"].endswith("/" + strict["id"]), "the url of a run ends in its id")
    nulls = {"steps": None, "sub_units": None, "report_variables": None, "attachments": None, "started_at": None}
    lenient = service.ok(
        "POST",
        "/v1/runs",
        {"procedure_id": procedure, "unit_under_test": {**unit, "part_number": None}, "run_passed": True, **nulls},
    )
    second = service.ok(
        "POST",
        "/v2/runs",
        {
            "procedure_id": procedure,
            "serial_number": f" {name.upper()}-1 ",
            "part_number": f"{name}-part",
            "revision_number": None,
            "batch_number": f"{name}-batch",
            "outcome": "ERROR",
            "started_at": "2026-11-20T09:30:00Z",
            "ended_at": "2026-11-20T09:31:00.5Z",
            "phases": [
                {
                    "name": "power on",
                    "outcome": "SKIP",
                    "started_at": "2026-11-20T09:30:00Z",
                    "ended_at": "2026-11-20T09:30:01Z",
                    "measurements": [
                        {"name": "voltage", "outcome": "PASS", "measured_value": 3.3, "units": "V"},
                        {"name": "ready", "outcome": "PASS", "measured_value": True},
                        {"name": "version", "outcome": "UNSET", "measured_value": "1.2.3"},
                    ],
                }
            ],
            "logs": [
                {
                    "level": "WARNING",
                    "timestamp": "2026-11-20T09:30:00Z",
                    "message": "warm",
                    "source_file": "main.py",
                    "line_number": 7,
                }
            ],
            "sub_units": None,
        },
    )
    return [strict["id"], lenient["id"], second["id"]]


def keep_what_v1_names(service, procedure, name):
    started = 1763631000000
    phase = {"name": "boot", "outcome": "PASS", "start_time_millis": started, "end_time_millis": started + 250}
    measurement = {"name": "current", "outcome": "PASS", "measured_value": 0.4, "units": "A", "upper_limit": 0.5}
    log = {"level": "INFO", "timestamp": "2026-11-20T09:30:00Z", "message": "up", "source_file": "t.py", "line_number": 1}
    body = {
        "procedure_name": f"{name} procedure",
        "procedure_version": "1.4.0",
        "unit_under_test": {"serial_number": f"{name}-phases"},
        "run_passed": True,
        "phases": [{**phase, "measurements": [measurement]}],
        "logs": [log],
        "client": "Python",
        "client_version": "1.9.2",
    }
    run = service.ok("GET", "/v2/runs/" + service.ok("POST", "/v1/runs", body)["id"])
    check(run["procedure"]["id"] == procedure, "procedure_name finds the procedure")
    check(run["procedure"]["version"]["tag"] == "1.4.0", "procedure_version is kept")
    check(run["phases"][0]["duration"] == "PT0.250S", "a phase of v1 keeps its times")
    check(run["phases"][0]["measurements"][0]["measured_value"] == 0.4, "and its measurements")
    check(run["logs"][0]["message"] == "up", "logs of v1 are kept")
    service.ok("PATCH", "/v1/units", {"serial_number": f"{name}-1", "sub_units": [{"serial_number": f"{name}-phases"}]})
    unit = service.ok("GET", f"/v2/units/{name}-1")
    check([child["serial_number"] for child in unit["children"]] == [f"{name}-phases"], "PATCH /v1/units is known")
    refused = service.refused((400, "BAD_REQUEST"), "POST", "/v1/runs", {**body, "procedure_name": None})
    check(refused["issues"][0]["message"].startswith("procedure id "), "a message begins with its field")
    return run["id"]


def read_runs(service, procedure, ids, name):
    listed = service.ok("GET", f"/v2/runs?limit=50.0&metadata=&procedure_ids={procedure}")
    check({run["id"] for run in listed["data"]} == set(ids), "the list has the runs, with limit=50.0 and metadata=")
    seen, cursor = [], None
    while True:
        query = {"limit": "1", "procedure_ids": procedure, "sort_order": "asc"}
        if cursor is not None:
            query["cursor"] = str(cursor)
        page = service.ok("GET", "/v2/runs?" + urllib.parse.urlencode(query))
        seen += [run["id"] for run in page["data"]]
        cursor = page["meta"]["next_cursor"]
        check((cursor is not None) == page["meta"]["has_more"], "has_more and next_cursor agree")
        if cursor is None:
            break
    check(sorted(seen) == sorted(ids), "pages of one have every run once")
    both = urllib.parse.urlencode([("ids", ids[0]), ("ids", ids[1])])
    check(len(service.ok("GET", f"/v2/runs?{both}")["data"]) == 2, "a list in a query repeats its key")
    by_serial = service.ok("GET", f"/v1/runs?serial_number={name.lower()}-1")
    check(isinstance(by_serial["message"], str), "GET /v1/runs answers a message")
    check(len(by_serial["data"]) == 3 and len(by_serial["result"]) == 3, "GET /v1/runs answers data and result")
    run = service.ok("GET", f"/v2/runs/{ids[2]}")
    check(run["outcome"] == "ERROR" and run["phases"][0]["outcome"] == "SKIP", "a run is what was sent")
    values = [one["measured_value"] for one in run["phases"][0]["measurements"]]
    check(values == [3.3, True, "1.2.3"] and values[1] is True, "measured values keep their types")
    check(run["unit"]["serial_number"] == f"{name}-1", "the first spelling of a serial number is kept")
    first = service.ok("GET", f"/v2/runs/{ids[0]}")
    check(first["outcome"] == "FAIL" and first["metadata"]["operator"] == "Zoë 🙂", "report variables are metadata")
    for path in (f"/v2/units/{name}-1", f"/v2/parts/{name}-part", f"/v2/batches/{name}-batch"):
        check(isinstance(service.ok("GET", path)["id"], str), f"{path} is on record")


def attach_in_three_ways(service, run_id):
    linked = service.ok("POST", "/v2/attachments", {"name": "linked.bin"})
    put(linked["upload_url"], b"\x00\x01 bytes")
    empty = service.ok("POST", "/v2/attachments", {"name": "empty.txt"})
    put(empty["upload_url"], iter([]))
    for _ in range(2):
        updated = service.ok("PATCH", f"/v2/runs/{run_id}", {"attachments": [linked["id"], empty["id"]]})
        check(updated["id"] == run_id, "Update Run answers the run's id, and the same again")
    old = service.ok("POST", "/v1/uploads/initialize", {"name": "v1.csv", "mimeType": "text/csv", "sizeBytes": 4})
    put(old["uploadUrl"], iter([b"a,", b"b\n"]), {"Content-Type": "text/csv"})
    service.ok("POST", "/v1/uploads/sync", {"upload_id": old["id"], "run_id": run_id})
    shot = service.ok("POST", f"/v2/runs/{run_id}/attachments", {"name": "one-shot.log"})
    put_as_urllib_does(shot["upload_url"], b"first\n")
    final = service.ok("POST", f"/v2/attachments/{shot['id']}/finalize")
    with urllib.request.urlopen(final["url"], timeout=30) as response:
        check(response.read() == b"first\n", "finalize answers where the bytes are")
    run = service.ok("GET", f"/v2/runs/{run_id}")
    expected = {"linked.bin": b"\x00\x01 bytes", "empty.txt": b"", "v1.csv": b"a,b\n", "one-shot.log": b"first\n"}
    check({one["name"] for one in run["attachments"]} == set(expected), "the run has all four attachments")
    for name, content in expected.items():
        check(download(run, name) == content, f"{name} is byte for byte what was sent")


def read_errors(service, procedure):
    unit = {"serial_number": "errors-1"}
    body = {"procedure_id": "no such procedure", "unit_under_test": unit, "run_passed": True, "duration": "PT1S"}
    for path in ("/v1/runs/create", "/v1/runs"):
        record = service.refused((404, "NOT_FOUND"), "POST", path, body)
        check("no such procedure" in record["message"], "the message names the procedure")
        record = service.refused((400, "BAD_REQUEST"), "POST", path, {**body, "run_passed": "yes"})
        check(record["issues"][0]["path"] == ["run_passed"], "an issue says where")
        service.refused((400, "PARSE_ERROR"), "POST", path, b'{"procedure_id":')
        service.refused((415, "UNSUPPORTED_MEDIA_TYPE"), "POST", path, b"x=1", {"Content-Type": "text/plain"})
        service.refused((401, "UNAUTHORIZED"), "POST", path, body, {"Authorization": KEY})
    service.refused((400, "BAD_REQUEST"), "POST", "/v1/runs/create", {**body, "duration": None})
    reversed_times = {"started_at": "2026-11-20T09:31:00Z", "ended_at": "2026-11-20T09:30:00Z"}
    v2_body = {"procedure_id": procedure, "serial_number": "errors-2", "outcome": "PASS", **reversed_times}
    service.refused((400, "BAD_REQUEST"), "POST", "/v2/runs", v2_body)
    service.refused((404, "NOT_FOUND"), "GET", f"/v2/runs/{UNKNOWN_ID}")
    service.refused((400, "BAD_REQUEST"), "GET", "/v2/runs?limit=101")
    service.refused((401, "UNAUTHORIZED"), "GET", "/v2/runs", headers={"Authorization": "Bearer nobody's"})
    service.refused((404, "NOT_FOUND"), "GET", "/v2/no-such-route")


def repeat_with_key(service, procedure, name):
    body = {"procedure_id": procedure, "unit_under_test": {"serial_number": f"{name}-1"}, "run_passed": True}
    headers = {"Idempotency-Key": f"{name} once"}
    first = service.ok("POST", "/v1/runs", body, headers)
    check(service.ok("POST", "/v1/runs", body, headers) == first, "the same key answers the first answer again")
    service.refused((409, "CONFLICT"), "POST", "/v1/runs", {**body, "run_passed": False}, headers)
    return first["id"]


def walk(prefix, scheme, name):
    service = Service(prefix, scheme)
    check(service.ask("HEAD", "/v1/runs").status == 200, "HEAD on a known path answers 200")
    created = service.ok("POST", "/v2/procedures", {"name": f"{name} procedure", "identifier": f"{name}-Procedure"})
    procedure = created["id"]
    page = service.ok("GET", f"/v2/procedures?search_query={name}")
    check([one["id"] for one in page["data"]] == [procedure], "the procedure is listed")
    ids = create_runs(service, procedure, name)
    read_runs(service, procedure, ids, name)
    attach_in_three_ways(service, ids[2])
    read_errors(service, procedure)
    repeated = repeat_with_key(service, procedure, name)
    gone = ids + [repeated, keep_what_v1_names(service, procedure, name)]
    query = urllib.parse.urlencode([("ids", one) for one in gone])
    deleted = service.ok("DELETE", f"/v2/runs?{query}")
    check(sorted(deleted["ids"]) == sorted(gone) and sorted(deleted["id"]) == sorted(gone), "runs are deleted")
    check(service.ok("GET", f"/v2/runs?procedure_ids={procedure}")["data"] == [], "nothing is left of them")


walk("", "Bearer", "Walk")
walk("/api", "bearer", "Stroll")
print("walked both interfaces")
