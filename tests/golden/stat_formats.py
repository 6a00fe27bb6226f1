# SPDX-License-Identifier: MIT
"""
What `xperf stat` writes for machines, in three formats of the same counts: each is read strictly, and they
have the same rows with the same values. Each line of standard input is a set of them: the options, the
separator, and the files of CSV, -j and --json=v1, separated by tabs.
"""
import csv
import itertools
import re
import sys

from stat_document import PLACES, faults, parse

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?$")
NO_COUNT = {"not counted": "<not counted>", "not supported": "<not supported>"}
KEYS = {
    "interval": float, "cpu": str, "core": str, "die": str, "socket": str, "node": str, "cluster": str,
    "cache": str, "thread": str, "aggregate-number": int, "counter-value": str, "unit": str, "event": str,
    "cgroup": str, "variance": float, "event-runtime": int, "pcnt-running": float,
    "metric-value": float, "metric-unit": str, "metric-threshold": str, "metric-reason": str,
    "reason": str,
}
# perf 7: what differs
KEYS_7 = {"counters": int, "metric-value": str}
PLACE_KEYS = {"cpu", "core", "die", "socket", "node", "cluster", "cache", "thread"}


class Wrong(Exception):
    pass


def insist(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(part) for part in what))


def shape_of(document, options):
    """What the columns depend on."""
    aggregation = document["aggregation"]
    return {
        "place": aggregation != "none",
        "cpus": aggregation not in ("none", "cpu", "thread"),
        "intervals": any(option.startswith("-I") for option in options),
        "summary": "--summary" in options,
        "cgroups": any("cgroup" in count for _, table in tables(document, options) for count in table["counts"]),
        "only": "--metric-only" in options,
        "exact": not {"-a", "-p"} & set(options),
    }


def tables(document, options):
    """What the other formats print, as (time or None, rows): intervals, then what is over all of them."""
    found = [(interval["end_ns"], interval) for run in document["runs"] for interval in run["intervals"]]
    if not any(option.startswith("-I") for option in options) or "--summary" in options:
        found.append((None, document["summary"]))
    return found


def is_repeated(time_ns, document):
    return time_ns is None and document["summary"]["runs"] > 1


def is_near(a, b, is_exact):
    """Tasks that run already are at another point of what they do in each run."""
    return float(a) == b if is_exact else abs(float(a) - b) <= 100 + 1e-4 * abs(b)


def check_value(text, count, digits, is_exact):
    if count["value"] is None:
        insist(text == NO_COUNT[count["status"]], text, "is not", count["status"])
    else:
        insist(NUMBER.match(text), text, "is no number")
        is_estimate = count["running_ns"] < count["enabled_ns"]
        insist((is_estimate and not is_exact) or abs(float(text) - count["value"]) <= 0.51 * 10 ** -digits or
               is_near(text, count["value"], is_exact),
               text, "is not", count["value"], "of", count["event"])


def is_number(text):
    return NUMBER.match(text) is not None


class Csv:
    def __init__(self, text, separator, document, options):
        self.separator, self.document = separator, document
        self.shape = shape_of(document, options)
        self.is_perf7 = "--compat=7" in options
        insist(text == "" or text.endswith("\n"), "the last line has no end")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.lines = list(csv.reader(lines, delimiter=separator)) if len(separator) == 1 else [
            line.split(separator) for line in lines]
        self.at = 0

    def next(self):
        insist(self.at < len(self.lines), "lines are missing")
        self.at += 1
        return self.lines[self.at - 1]

    def lead(self, fields, time_ns):
        """Checks time and place; returns the other fields."""
        if time_ns is not None:
            insist(re.match(r" *[0-9]+\.[0-9]{9}$", fields[0]), fields[0], "is no time")
            insist(fields[0][0] != " " or not self.is_perf7, fields[0], "has blanks")
            insist(fields[0].strip().replace(".", "").lstrip("0") == str(time_ns), fields[0], "is not", time_ns)
            fields = fields[1:]
        elif self.shape["intervals"]:
            insist(fields[0] == "summary" if self.is_perf7 else fields[0].strip() == "summary", fields[0], "is not summary")
            fields = fields[1:]
        # A core of percore events among CPUs has no number of CPUs.
        if self.shape["place"]:
            insist(fields[0] and not is_number(fields[0]), fields[0], "is no place")
            fields = fields[1:]
        if self.shape["cpus"]:
            insist(fields[0].isdigit(), fields[0], "is no number of CPUs")
            fields = fields[1:]
        return fields

    def metric(self, value, unit):
        insist(value == "" or is_number(value), value, "is no metric")
        insist((value == "") == (unit == ""), "metric", value, "unit", unit)

    def row(self, count, time_ns):
        fields = self.lead(self.next(), time_ns)
        is_repeated_row = is_repeated(time_ns, self.document)
        insist(len(fields) == 7 + self.shape["cgroups"] + is_repeated_row, len(fields), "fields:", fields)
        digits = len(fields[0].partition(".")[2])
        check_value(fields[0], count, digits, self.shape["exact"])
        insist(fields[1] == count["unit"] and fields[2] == count["event"], fields, "is not", count)
        rest = fields[3:]
        if self.shape["cgroups"]:
            insist(rest[0] == (count["cgroup"] or ""), rest[0], "is not", count["cgroup"])
            rest = rest[1:]
        if is_repeated_row:
            insist(re.match(r"[0-9]+\.[0-9]{2}%$", rest[0]), rest[0], "is no share")
            rest = rest[1:]
        insist(rest[0].isdigit() and is_near(rest[0], count["running_ns"], self.shape["exact"]), rest[0], "is not", count["running_ns"])
        insist(re.match(r"[0-9]+\.[0-9]{2}$", rest[1]), rest[1], "is no share")
        self.metric(*rest[2:])

    def further(self, time_ns):
        """Lines of more metrics of the last event."""
        nr_lead = self.shape["intervals"] + self.shape["place"] + self.shape["cpus"]
        while self.at < len(self.lines) and not self.lines[self.at][nr_lead]:
            fields = self.lead(self.lines[self.at], time_ns)
            insist(not any(fields[:-2]) and is_number(fields[-2]) and fields[-1], fields)
            self.at += 1

    def only(self, time_ns, has_title):
        """With --metric-only. The heading, or a line of values."""
        fields = self.next()
        insist(fields[-1] == "", "no separator after the last", fields)
        if has_title:
            self.width = len(fields)
            insist(all(fields[:-1]) and not any(is_number(field) for field in fields), fields)
            return
        insist(len(fields) == self.width, fields, "are not", self.width)
        insist(all(field == "" or is_number(field) for field in self.lead(fields, time_ns)), fields)

    def nr_lines(self, table, time_ns):
        """Of --metric-only; a place may have a line without any value."""
        first = "summary" if time_ns is None else "%d.%09d" % divmod(time_ns, 10 ** 9)
        same = itertools.takewhile(lambda line: line[0].strip() == first or not self.shape["intervals"],
                                   self.lines[self.at:])
        nr = len(list(same))
        insist(nr >= lines_of(table, self.document), nr, "lines")
        return nr

    def check(self, options):
        for i, (time_ns, table) in enumerate(tables(self.document, options)):
            if self.shape["only"]:
                if i % 25 == 0 or time_ns is None:
                    self.only(time_ns, True)
                for _ in range(self.nr_lines(table, time_ns)):
                    self.only(time_ns, False)
                continue
            for count in table["counts"]:
                self.row(count, time_ns)
                self.further(time_ns)
        insist(self.at == len(self.lines), "there is more:", self.lines[self.at:self.at + 1])


def lines_of(table, document):
    """Places that have metrics: one line each."""
    names = PLACES[document["aggregation"]]
    return len({tuple(str(metric[name]) for name in names) for metric in table["metrics"]})


class Lines:
    def __init__(self, text, document, options):
        self.document, self.options = document, options
        self.shape = shape_of(document, options)
        self.rows = [parse(line.encode("utf-8", "surrogateescape")) for line in text.splitlines()]

    def check_keys(self, row):
        keys, cpus = KEYS, "aggregate-number"
        if "--compat=7" in self.options:
            keys, cpus = {**KEYS, **KEYS_7}, "counters"
            del keys["aggregate-number"]
            insist("metric-value" not in row or is_number(row["metric-value"]), "the metric of", row)
            insist("metric-reason" in row or ("metric-value" in row) == ("metric-unit" in row), "the metric of", row)
        for name, value in row.items():
            if self.shape["only"] and name not in PLACE_KEYS | {"interval", cpus}:
                insist(is_number(value), name, "is", value)
                continue
            insist(name in keys, name, "is not described")
            kinds = (keys[name],)
            if (name, value) == ("metric-value", "nan"):
                insist("metric-reason" in row, "no reason for", row)
                continue
            insist(isinstance(value, kinds) or (float in kinds and type(value) is int), name, "is", repr(value))
        insist(len(PLACE_KEYS & set(row)) == self.shape["place"], "the place of", row)

    def check(self, options):
        for row in self.rows:
            insist(type(row) is dict, row)
            self.check_keys(row)
        if self.shape["only"]:
            nr = sum(lines_of(table, self.document) for _, table in tables(self.document, options))
            insist(len(self.rows) >= nr, len(self.rows), "lines, not", nr)
            return
        counts = [row for row in self.rows if "counter-value" in row]
        expected = [(time_ns, count) for time_ns, table in tables(self.document, options) for count in table["counts"]]
        insist(len(counts) == len(expected), len(counts), "counts, not", len(expected))
        for row, (time_ns, count) in zip(counts, expected):
            insist(row["event"] == count["event"] and row["unit"] == count["unit"], row, "is not", count)
            insist(is_near(row["event-runtime"], count["running_ns"], self.shape["exact"]), row, "is not", count)
            insist(("interval" in row) == (time_ns is not None), "the time of", row)
            check_value(row["counter-value"], count, 6, self.shape["exact"])


def check(schema, options, separator, csv, lines, document):
    options = options.split()
    with open(document, "rb") as file:
        document = parse(file.read())
    insist(not faults(schema, document), faults(schema, document)[:3])
    for path, form in ((csv, Csv), (lines, Lines)):
        with open(path, "rb") as file:
            text = file.read().decode("utf-8")
        try:
            reader = Csv(text, separator, document, options) if form is Csv else Lines(text, document, options)
            reader.check(options)
        except (Wrong, ValueError, IndexError, KeyError, TypeError) as error:
            raise Wrong("%s: %r\n%s" % (form.__name__, error, text[:600]))


def main(schema_path):
    status = nr = 0
    with open(schema_path, "rb") as file:
        schema = parse(file.read())
    for line in sys.stdin:
        nr += 1
        try:
            options, separator, *paths = line.rstrip("\n").split("\t")
            check(schema, options, "\t" if separator == "\\t" else separator, *paths)
        except (Wrong, ValueError) as wrong:
            print("stat %s: %s" % (line.split("\t")[0], wrong))
            status = 1
    print("%d combinations" % nr)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
