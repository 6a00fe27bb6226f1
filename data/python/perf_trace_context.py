# SPDX-License-Identifier: MIT
"""Runs a script written for perf's Python interface over the lines of `xperf script --json`.

`xperf script -s FILE` starts it with a descriptor to read from, FILE, and FILE's arguments. FILE
imports it as perf_trace_context, with Core and Util. Source of the interface: perf-script-python(1).
"""
import inspect
import json
import os
import re
import sys
import types

_COMMON = 8  # event_name, context, common_cpu, secs, nsecs, pid, comm, callchain


def common_pc(context):
    """The preemption count, which is not known here."""
    return 0


def common_flags(context):
    """The flags of the sample, which are not known here."""
    return 0


def common_lock_depth(context):
    """The depth of the big kernel lock, which is not known here."""
    return 0


def _helpers():
    """The modules that scripts of perf import from its directories."""
    core, util = types.ModuleType("Core"), types.ModuleType("Util")

    class AutoDict(dict):
        def __missing__(self, key):
            self[key] = type(self)()
            return self[key]

    core.autodict = AutoDict
    util.NSECS_PER_SEC = 1000000000
    util.avg = lambda total, n: total / n
    util.nsecs = lambda secs, nsecs: secs * 1000000000 + nsecs
    util.nsecs_secs = lambda nsecs: nsecs // 1000000000
    util.nsecs_nsecs = lambda nsecs: nsecs % 1000000000
    util.nsecs_str = lambda nsecs: "%5u.%09u," % divmod(int(nsecs), 1000000000)
    util.syscall_name = str
    util.strerror = lambda nr: os.strerror(abs(nr))
    util.clear_term = lambda: print("\033[H\033[J", end="")
    # Classes of raw data, of which there is none.
    for module in (core, util, types.ModuleType("EventClass")):
        sys.modules[module.__name__] = module


def _number(text):
    """A number where the text is one, else the text."""
    try:
        return int(text, 0)
    except ValueError:
        return int(text) if text.isdigit() else text


_TEXTS = ("comm", "name")


def _fields(trace):
    """The fields in the text of a tracepoint: "a=1 b=x", or "NR 1 (...)" of system calls."""
    call = re.match(r"NR (-?\d+)(?: = (-?\d+)| \((.*)\))", trace)
    if call:
        fields = {"id": int(call[1])}
        if call[2] is not None:
            fields["ret"] = int(call[2])
        else:
            fields["args"] = call[3]
        return fields
    pairs = re.findall(r"([A-Za-z_]\w*)=(.*?)(?=,?\s+(?:==> )?[A-Za-z_]\w*=|$)", trace)
    # A task may have a number for its name.
    return {name: value if name.endswith(_TEXTS) else _number(value) for name, value in pairs}


def _chain(frames):
    chain = []
    for frame in frames:
        entry = {"ip": int(frame.get("ip", "0"), 16)}
        if "symbol" in frame:
            entry["sym"] = {"name": frame["symbol"]}
            entry["sym_off"] = frame.get("offset", 0)
        if "dso" in frame:
            entry["dso"] = frame["dso"]
        chain.append(entry)
    return chain


def _sample(line):
    """What process_event() gets."""
    sample = {"pid": line.get("pid", -1), "tid": line.get("tid", -1), "cpu": line.get("cpu", 0),
              "ip": int(line.get("ip", "0"), 16), "time": line.get("time_ns", 0),
              "period": line.get("period", 1), "addr": int(str(line.get("addr", "0")), 16)}
    event = {"attr": b"", "raw_buf": b"", "sample": sample, "comm": line.get("comm", ""),
             "ev_name": line.get("event", ""), "callchain": _chain(line.get("callchain", []))}
    for name, key in (("dso", "dso"), ("symbol", "symbol"), ("symoff", "offset")):
        if key in line:
            event[name] = line[key]
    return event


def _call(handler, event, name, fields):
    """Calls a handler of one event: the common arguments by place, the others by name."""
    secs, nsecs = divmod(event["sample"]["time"], 1000000000)
    args = [name, None, event["sample"]["cpu"], secs, nsecs, event["sample"]["tid"], event["comm"],
            event["callchain"]]
    for parameter in list(inspect.signature(handler).parameters.values())[_COMMON:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += list(fields.values()) + [event]
        else:
            args.append(event if parameter.name == "perf_sample_dict" else fields.get(parameter.name))
    handler(*args)


class _Runner:
    def __init__(self, handlers):
        self.handlers = handlers

    def call(self, name, *args):
        if name in self.handlers:
            self.handlers[name](*args)

    def process(self, line):
        """One line: a sample to the handlers of all samples, of its event, or of the rest."""
        if "event" not in line:
            return
        event = _sample(line)
        self.call("process_event", event)
        name = event["ev_name"].split("/")[0].replace(":", "__").replace("-", "_")
        if name in self.handlers:
            _call(self.handlers[name], event, name, _fields(line.get("trace", "")))
        elif "trace" in line and "trace_unhandled" in self.handlers:
            fields = dict(_fields(line["trace"]), common_comm=event["comm"],
                          common_pid=event["sample"]["tid"], common_cpu=event["sample"]["cpu"])
            unhandled = self.handlers["trace_unhandled"]
            wants_sample = len(inspect.signature(unhandled).parameters) > 3
            unhandled(name, None, fields, *([event] if wants_sample else []))


def _main(fd, script, arguments):
    sys.modules["perf_trace_context"] = sys.modules[__name__]
    _helpers()
    os.environ.setdefault("PERF_EXEC_PATH", os.path.dirname(os.path.abspath(__file__)))
    sys.argv = [script] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    with open(script, encoding="utf-8") as file:
        code = compile(file.read(), script, "exec")
    module = types.ModuleType("__main__")
    module.__file__ = script
    sys.modules["__main__"] = module
    exec(code, module.__dict__)
    runner = _Runner(module.__dict__)
    runner.call("trace_begin")
    with os.fdopen(fd, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            runner.process(json.loads(line))
    runner.call("trace_end")


if __name__ == "__main__":
    sys.modules["perf_trace_context"] = sys.modules["__main__"]
    _main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
