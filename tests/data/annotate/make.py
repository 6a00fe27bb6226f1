#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds loop.c for several machines with clang and lld, and composes a recording of each.

Samples are at every third instruction of mix(), more of them towards its end, of two events; a few
are in _start(). Usage: make.py, in its directory. What it makes is committed, since compilers differ.
"""
import re
import struct
import subprocess

MACHINES = {
    "x86_64": ["--target=x86_64-linux-gnu"],
    "i386": ["--target=i386-linux-gnu"],
    "aarch64": ["--target=aarch64-linux-gnu"],
    "arm": ["--target=armv7-linux-gnueabihf", "-marm"],
    "thumb": ["--target=armv7-linux-gnueabihf", "-mthumb"],
}
IP, TID, TIME, ID, PERIOD = 1, 2, 4, 64, 256
PID = 7


def build(name, options):
    subprocess.run(
        ["clang", *options, "-O1", "-g", "-gdwarf-4", "-nostdlib", "-static", "-fno-pic",
         "-fno-asynchronous-unwind-tables", "-ffreestanding", "-fdebug-prefix-map=" + cwd() + "=/src",
         "-fuse-ld=lld", "-Wl,--build-id=sha1", "-o", name, "loop.c"], check=True)


def cwd():
    return subprocess.run(["pwd"], capture_output=True, text=True, check=True).stdout.strip()


def functions(name):
    text = subprocess.run(["readelf", "-sW", name], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"([0-9a-f]{8,16})\s+(\d+) FUNC .* (\w+)$", text, re.M)
    return {symbol: (int(start, 16) & ~1, int(size)) for start, size, symbol in found}


def segment(name):
    text = subprocess.run(["readelf", "-lW", name], capture_output=True, text=True, check=True).stdout
    offset, address, size = re.search(
        r"LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", text).groups()
    return int(offset, 16), int(address, 16), int(size, 16)


def build_id(name):
    text = subprocess.run(["readelf", "-n", name], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(re.search(r"Build ID: (\w+)", text).group(1))


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text):
    return text + bytes(8 - len(text) % 8)


def trailer(time, identity=1):
    return struct.pack("<IIQQ", PID, PID, time, identity)


def comm(name):
    return record(3, 0x2000, struct.pack("<II", PID, PID) + padded(name.encode()) + trailer(1))


def mmap2(name):
    offset, address, size = segment(name)
    start, into = address & ~0xFFF, address & 0xFFF
    body = struct.pack("<IIQQQ", PID, PID, start, (size + into + 0xFFF) & ~0xFFF, offset - into)
    body += struct.pack("<BBH20s", 20, 0, 0, build_id(name)) + struct.pack("<II", 5, 2)
    return record(10, 2 | 0x4000, body + padded(b"/" + name.encode()) + trailer(1))


def sample(ip, time, identity, period):
    body = struct.pack("<QIIQQQ", ip, PID, PID, time, identity, period)
    return record(9, 2, body)


def samples(name):
    where = functions(name)
    start, size = where["mix"]
    text = subprocess.run(
        ["llvm-objdump-14", "-d", "--no-show-raw-insn", "--disassemble-symbols=mix", name],
        capture_output=True, text=True, check=True).stdout
    addresses = [int(at, 16) for at in re.findall(r"^\s*([0-9a-f]+):", text, re.M)]
    made, time = b"", 10
    for number, address in enumerate(a for a in addresses[::3] if start <= a < start + size):
        for identity in (1, 2):
            for _ in range(number + identity):
                made += sample(address, time, identity, 1000000 if identity == 1 else 250)
                time += 1
    return made + sample(where["_start"][0], time, 1, 1000000)


def attribute(config, identity_at):
    # struct perf_event_attr of 112 bytes, with its ids
    flags = 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23 | 1 << 24
    attr = struct.pack("<IIQQQQQ", 1, 112, config, 1000000, IP | TID | TIME | ID | PERIOD, 4, flags)
    return attr + bytes(112 - len(attr)) + struct.pack("<QQ", identity_at, 8)


def recording(name):
    ids = struct.pack("<QQ", 1, 2)
    attributes = attribute(0, 104) + attribute(1, 112)
    data = comm("loop") + mmap2(name) + samples(name)
    at = 104 + len(ids)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 128, at, len(attributes),
                                     at + len(attributes), len(data), 0, 0) + bytes(32)
    return head + ids + attributes + data


for machine, how in MACHINES.items():
    build(machine, how)
    with open(machine + ".data", "wb") as out:
        out.write(recording(machine))
