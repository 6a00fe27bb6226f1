# SPDX-License-Identifier: MIT
"""
Documents of `xperf stat --json=v1`, read as strictly as JSON can be read, and compared with the schema and
with what it cannot express. As a program: stat_document.py SCHEMA DOCUMENT...
"""
import json
import re
import sys

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}
ANNOTATIONS = {"$schema", "$comment", "$defs", "title", "description"}


def refuse(text):
    raise ValueError("%s is no JSON" % text)


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError("a member is there twice: %s" % names)
    return dict(pairs)


def parse(data):
    """Bytes to a value: NaN, a member twice, and what is no UTF-8 are refused."""
    return json.loads(data.decode("utf-8"), parse_constant=refuse, object_pairs_hook=unique)


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


class Schema:
    """The part of JSON Schema that the schema uses; any other keyword is an error."""

    def __init__(self, root):
        self.root = root

    def resolve(self, schema):
        if "$ref" not in schema:
            return schema
        assert set(schema) == {"$ref"} and schema["$ref"].startswith("#/$defs/"), schema
        return self.root["$defs"][schema["$ref"][len("#/$defs/"):]]

    def declared(self, schema):
        """Names of all members that a schema describes."""
        schema = self.resolve(schema)
        names = set(schema.get("properties", {}))
        return names.union(*[self.declared(part) for part in schema.get("allOf", [])])

    def check(self, value, schema, at="document", is_part=False):
        """Yields what is wrong."""
        schema = self.resolve(schema)
        for keyword, wanted in schema.items():
            if keyword not in ANNOTATIONS:
                yield from getattr(self, "check_" + keyword)(value, wanted, schema, at)
        # Ours has nothing that is not described, though later ones may.
        if isinstance(value, dict) and not is_part and "additionalProperties" not in schema:
            for name in set(value) - self.declared(schema):
                yield "%s.%s is not described" % (at, name)

    def check_type(self, value, wanted, _, at):
        if not any(is_type(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted)):
            yield "%s is not %s: %r" % (at, wanted, value)

    def check_const(self, value, wanted, _, at):
        if value != wanted:
            yield "%s is %r" % (at, value)

    def check_enum(self, value, wanted, _, at):
        if value not in wanted:
            yield "%s is %r" % (at, value)

    def check_pattern(self, value, wanted, _, at):
        if isinstance(value, str) and not re.search(wanted, value):
            yield "%s is %r" % (at, value)

    def check_minimum(self, value, wanted, _, at):
        if is_type(value, "number") and value < wanted:
            yield "%s is %r" % (at, value)

    def check_maximum(self, value, wanted, _, at):
        if is_type(value, "number") and value > wanted:
            yield "%s is %r" % (at, value)

    def check_required(self, value, wanted, _, at):
        if isinstance(value, dict):
            for name in set(wanted) - set(value):
                yield "%s.%s is missing" % (at, name)

    def check_properties(self, value, wanted, _, at):
        if isinstance(value, dict):
            for name in set(wanted) & set(value):
                yield from self.check(value[name], wanted[name], "%s.%s" % (at, name))

    def check_additionalProperties(self, value, wanted, schema, at):
        if isinstance(value, dict):
            for name in set(value) - set(schema.get("properties", {})):
                yield from self.check(value[name], wanted, "%s.%s" % (at, name))

    def check_items(self, value, wanted, _, at):
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.check(item, wanted, "%s[%d]" % (at, i))

    def check_allOf(self, value, wanted, _, at):
        for part in wanted:
            yield from self.check(value, part, at, is_part=True)


PLACES = {
    "none": [], "cpu": ["cpu"], "core": ["socket", "die", "core"], "die": ["socket", "die"],
    "socket": ["socket"], "node": ["node"], "cluster": ["socket", "die", "cluster"],
    "cache": ["socket", "die", "cache_level", "cache"], "thread": ["tid", "comm"],
}


def places_of(document, row):
    """The members of a row that say where it is; percore events have cores where others have CPUs."""
    aggregation = document["aggregation"]
    if aggregation == "cpu" and "core" in row:
        aggregation = "core"
    places = list(PLACES[aggregation])
    if aggregation not in ("none", "cpu", "thread"):
        places.append("cpus")
    return places


def check_row(document, row, at):
    places = places_of(document, row)
    for name in set().union(*PLACES.values()) | {"cpus"}:
        if (name in row) != (name in places):
            yield "%s: %s does not belong to rows by %s, or is missing" % (at, name, document["aggregation"])
    if not row["index"] < len(document["events"]):
        yield "%s: there is no event %d" % (at, row["index"])
    if (row["value"] is None) != bool(row["reason"]):
        yield "%s: value %r, reason %r" % (at, row["value"], row["reason"])


def check_count(count, at):
    if (count["status"] == "counted") != (count["value"] is not None):
        yield "%s: %s, value %r" % (at, count["status"], count["value"])
    if count["running_ns"] > count["enabled_ns"]:
        yield "%s: ran longer than it was enabled" % at
    if "raw" in count and (count["raw"] is None) != (count["value"] is None):
        yield "%s: value %r, raw %r" % (at, count["value"], count["raw"])


def tables_of(document):
    """Everything that has counts and metrics, with where it is."""
    for run in document["runs"]:
        for i, interval in enumerate(run["intervals"]):
            yield "run %d, interval %d" % (run["run"], i), interval
        yield "run %d" % run["run"], run
    if document["summary"]:
        yield "summary", document["summary"]


def check_document(document):
    """What a schema cannot express. Yields what is wrong."""
    for at, table in tables_of(document):
        for kind in "counts", "metrics":
            for row in table[kind]:
                yield from check_row(document, row, "%s, %s of %s" % (at, kind, row["event"]))
        for count in table["counts"]:
            yield from check_count(count, "%s, %s" % (at, count["event"]))
    if [run["run"] for run in document["runs"]] != list(range(1, len(document["runs"]) + 1)):
        yield "runs are not numbered"
    for run in document["runs"]:
        ends = [interval["end_ns"] for interval in run["intervals"]]
        if ends != sorted(ends):
            yield "intervals are not in order"
    finished = sum(run["wall_ns"] is not None for run in document["runs"])
    if finished != (document["summary"] or {"runs": 0})["runs"]:
        yield "%d runs were finished, not those of the summary" % finished


def faults(schema, document):
    found = list(Schema(schema).check(document, schema))
    return found or list(check_document(document))


def main(schema_path, *paths):
    with open(schema_path, "rb") as file:
        schema = parse(file.read())
    status = 0
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        try:
            found = faults(schema, parse(data))
        except ValueError as error:
            found = [str(error)]
        for fault in found[:5]:
            print("%s: %s" % (path, fault))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
