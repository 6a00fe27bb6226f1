# SPDX-License-Identifier: MIT
"""A device tree of qemu's machine "virt" with GICv3, whose first CPUs are of one kind and the rest of
another: text of dtc from stdin to stdout.

A PMU's interrupt is one per CPU. Which CPUs it is for, a fourth cell of each interrupt says, which
names a partition of the interrupt controller.
Source: the kernel's Documentation/devicetree/bindings: interrupt-controller/arm,gic-v3.yaml
(ppi-partitions), arm/pmu.yaml.
"""
import re
import sys

tree = sys.stdin.read()


def widened(cells, step):
    """A zero behind each @step cells."""
    words = cells.split()
    return " ".join(" ".join(words[i:i + step] + ["0x00"]) for i in range(0, len(words), step))


def replaced(pattern, by):
    global tree
    tree, nr = re.subn(pattern, by, tree, flags=re.S)
    if not nr:
        sys.exit(f"this device tree has no {pattern}")


replaced(r"(?<![-\w])interrupts = <([^>]*)>;", lambda m: f"interrupts = <{widened(m[1], 3)}>;")
# An entry is 4 cells of the child, a handle, 2 of the address and 3 of the interrupt.
replaced(r"interrupt-map = <([^>]*)>;", lambda m: f"interrupt-map = <{widened(m[1], 10)}>;")
replaced(r"\bcpu@(\w+) \{", lambda m: f"CPU{m[1]}: cpu@{m[1]} {{")
cpus = re.findall(r"CPU(\w+):", tree)
kinds = {"big": cpus[:len(cpus) // 2], "little": cpus[len(cpus) // 2:]}
partitions = "".join(
    f"{kind}: interrupt-partition-{i} {{ affinity = <{' '.join('&CPU' + c for c in members)}>; }};\n"
    for i, (kind, members) in enumerate(kinds.items()))
replaced(r"(intc@\w+ \{.*?#interrupt-cells = <)0x03>;",
         lambda m: f"{m[1]}0x04>;\nppi-partitions {{\n{partitions}}};")
pmus = "".join(
    f'pmu-{kind} {{ compatible = "arm,cortex-{core}-pmu"; interrupts = <0x01 0x07 0x04 &{kind}>; }};\n'
    for kind, core in (("big", "a57"), ("little", "a53")))
replaced(r"\tpmu \{.*?\};", pmus)
sys.stdout.write(tree)
