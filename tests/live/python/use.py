# SPDX-License-Identifier: MIT
"""use.py DESCRIPTION LIBRARY layouts | count | read FILE: what a program in Python does with libxperf."""
import ctypes
import sys

from bindings import Bindings


class Failed(Exception):
    """A function of the library returned an error."""


def check(result, diag=None):
    """A result of 0 or more."""
    if result < 0:
        raise Failed(f"error {result}: {diag.what.decode() if diag else ''}")
    return result


def layouts(xp):
    """Structs are laid out as in C."""
    faults, nr_fields = xp.check_layouts()
    print("\n".join(faults) or f"{len(xp.structs)} structs, {nr_fields} fields, as in C")
    return 1 if faults else 0


def fibonacci(number):
    """Something to count."""
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def count(xp):
    """Counts task-clock of a function."""
    lib, diag = xp.library, xp.new("xp_diag")
    ctx, evlist, own = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.xp_ctx_new(None, ctypes.byref(ctx)))
    check(lib.xp_evlist_new(ctx, ctypes.byref(evlist)))
    check(lib.xp_evlist_parse(evlist, b"task-clock:u", ctypes.byref(diag)), diag)
    check(lib.xp_self_open(evlist, ctypes.byref(own), ctypes.byref(diag)), diag)
    counts = [xp.new("xp_count") for _ in range(3)]
    check(lib.xp_self_read(own, ctypes.byref(counts[0])))
    fibonacci(12)
    check(lib.xp_self_read(own, ctypes.byref(counts[1])))
    fibonacci(20)
    check(lib.xp_self_read(own, ctypes.byref(counts[2])))
    lib.xp_self_close(own)
    name = lib.xp_evsel_name(lib.xp_evlist_at(evlist, 0)).decode()
    lib.xp_evlist_free(evlist)
    lib.xp_ctx_free(ctx)
    few, many = (counts[i + 1].value - counts[i].value for i in range(2))
    print(f"{name}: {few} ns, {many} ns for fifty times as many calls")
    return 0 if 0 < few < many else 1


def read(xp, path):
    """Prints time and address of each sample."""
    lib, diag = xp.library, xp.new("xp_diag")
    ctx, data, record = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    opts = xp.new("xp_data_opts", path=path.encode(), force=True)
    header, event_class = xp.structs["struct xp_record"], xp.structs["struct xp_data_event"]
    check(lib.xp_ctx_new(None, ctypes.byref(ctx)))
    check(lib.xp_data_open(ctx, ctypes.byref(opts), ctypes.byref(data), ctypes.byref(diag)), diag)
    while check(lib.xp_data_next(data, ctypes.byref(record), None)):
        if header.from_address(record.value).type != xp.constants["XP_RECORD_SAMPLE"]:
            continue
        event = event_class.from_address(
            lib.xp_data_event_at(data, check(lib.xp_data_event_of(data, record))))
        sample = xp.new("xp_sample")
        check(lib.xp_sample_decode(record, ctypes.addressof(event.attr), ctypes.byref(sample)))
        print(f"{event.name.decode()} {sample.id.pid} {sample.id.time_ns} {sample.ip:x}")
    lib.xp_data_close(data)
    lib.xp_ctx_free(ctx)
    return 0


def main(description, library, what, *args):
    """One of the functions above."""
    return {"layouts": layouts, "count": count, "read": read}[what](
        Bindings(description, library), *args)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
