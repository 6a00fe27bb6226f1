# SPDX-License-Identifier: MIT
"""libxperf for Python, as any language would bind it: made from lib/libxperf.abi, by ctypes.

Structs are classes with the fields' own types, laid out by ctypes; check_layouts() compares them with
what the C compiler says.
"""
import ctypes
import re

SCALARS = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "long": ctypes.c_long,
    "unsigned int": ctypes.c_uint, "unsigned long": ctypes.c_ulong, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "ssize_t": ctypes.c_ssize_t, "pid_t": ctypes.c_int,
    "uid_t": ctypes.c_uint, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16, "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
}


class Bindings:
    """Functions, structs and constants of a library."""

    def __init__(self, description, library):
        self.library = ctypes.CDLL(library)
        self.described, self.structs, self.constants, self.places = {}, {}, {}, {}
        title = ""
        with open(description, encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
        for line in lines:
            if line.startswith("\t"):
                if title.startswith("struct "):
                    self.described[title][1].append(line.strip().split(" ", 2))
                else:
                    name, value = line.split()
                    self.constants[name] = int(value, 0)
            elif re.match(r"(struct \w+) size", line):
                title = re.match(r"struct \w+", line).group()
                self.described[title] = (int(line.split()[3]), [])
            else:
                title = line
        for title in self.described:
            self.struct(title)
        for line in lines:
            found = re.match(r"(?:unstable )?function (.*?)(xp_\w+)\((.*)\)$", line)
            if found:
                self.function(*found.groups())

    def kind(self, text):
        """The type of a declaration without its name."""
        text = re.sub(r"\b(const|volatile)\b", "", text).strip()
        if re.fullmatch(r"char \*", text):
            return ctypes.c_char_p
        if "*" in text or text.endswith("_fn"):
            return ctypes.c_void_p
        if text.startswith("enum "):
            return ctypes.c_int
        return self.struct(text) if text.startswith("struct ") else SCALARS[text]

    def struct(self, title):
        """The class of a struct; one with unions is a union of views of it."""
        if title in self.structs:
            return self.structs[title]
        size, lines = self.described[title]
        views, end = [[]], 0
        for place, room, declaration in lines:
            offset = int(place.split(".")[0])
            bits = re.search(r" : (\d+)$", declaration)
            pointer = re.search(r"\(\*(\w+)\)", declaration)
            found = re.match(r"(.*?)(\w+)(\[.*\])?( : \d+)?$", declaration)
            name = (pointer or found).group(1 if pointer else 2)
            kind = ctypes.c_void_p if pointer else self.kind(found.group(1))
            if found and found.group(3):
                kind *= int(room) // ctypes.sizeof(kind)
            if offset < end and not bits:
                views.append([("", ctypes.c_char * offset)])
            views[-1].append((name, kind, int(bits.group(1))) if bits else (name, kind))
            end = offset + (8 if bits else int(room))
        views = [[(name or f"skipped_{i}", *rest) for name, *rest in view]
                 for i, view in enumerate(views)]
        classes = [type(title.split()[1], (ctypes.Structure,), {"_fields_": view}) for view in views]
        made = classes[0]
        if len(classes) > 1:
            names = [f"view_{i}" for i in range(len(classes))]
            made = type(title.split()[1], (ctypes.Union,),
                        {"_anonymous_": names, "_fields_": list(zip(names, classes))})
        self.structs[title], self.places[title] = made, (size, classes)
        return made

    def function(self, returned, name, arguments):
        """Declares one to ctypes."""
        function = getattr(self.library, name)
        function.restype = None if returned.strip() == "void" else self.kind(returned)
        arguments = [] if arguments == "void" else re.split(r", (?![^(]*\))", arguments)
        if "..." in arguments:
            return
        function.argtypes = [ctypes.c_void_p if "(*" in text or "[" in text else
                             self.kind(re.match(r"(.*?)\w+$", text).group(1)) for text in arguments]

    def new(self, name, **fields):
        """A struct of zeros, with its size where it has one."""
        made = self.structs["struct " + name](**fields)
        if self.described["struct " + name][1][0][2] == "size_t size":
            made.size = ctypes.sizeof(made)
        return made

    def check_layouts(self):
        """What ctypes lays out otherwise than the C compiler."""
        faults, nr_fields = [], 0
        for title, (size, classes) in self.places.items():
            if ctypes.sizeof(self.structs[title]) != size:
                faults.append(f"sizeof({title}) is {size}, here {ctypes.sizeof(self.structs[title])}")
            found = {}
            for view in classes:
                for name, *_ in view._fields_:
                    found[name] = getattr(view, name)
            for place, _, declaration in self.described[title][1]:
                name = re.search(r"\(\*(\w+)\)|(\w+)(\[.*\])?( : \d+)?$", declaration)
                name = name.group(1) or name.group(2)
                offset, _, bit = place.partition(".")
                here = found[name].offset
                bit = int(bit.split(":")[0]) if bit else 0
                bit_here = found[name].size & 0xffff if bit else 0
                nr_fields += 1
                if (here, bit_here) != (int(offset), bit):
                    faults.append(f"{title}, {name} is at {place}, here at {here}.{bit_here}")
        return faults, nr_fields
