#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The binary interface of libxperf as text, from the public headers: functions, layouts, values.

tools/interface.py                  prints it, for lib/libxperf.abi
tools/interface.py compare OLD NEW  prints what breaks programs that were built with OLD, and fails if
                                    anything does

What a compiler decides (sizes, offsets, values) is asked from $CC. Other tests read the same text.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(ROOT, "lib/include")
KINDS = os.path.join(ROOT, "tests/lint/structs.txt")

TITLE = """# SPDX-License-Identifier: MIT
# The binary interface of libxperf where pointers and long have 64 bits; docs/interface.md has the rules.
# Fields: offset (of bit fields with bit:width), size, declaration. Made by
# REFRESH=1 tests/lint/test-interface.sh.
"""


def squeeze(text):
    """One line, with one blank between words."""
    return re.sub(r"\s+", " ", text).strip()


def statements(text):
    """Splits C without comments and directives into top-level declarations; bodies are left out."""
    depth, start, at = 0, 0, 0
    while at < len(text):
        char = text[at]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0 and text[start:at].lstrip().startswith("static inline"):
                yield squeeze(text[start:text.index("{", start)])
                start = at + 1
        elif char == ";" and depth == 0:
            yield text[start:at].strip()
            start = at + 1
        at += 1


def declarator(text):
    """(name, bits or None) of one field."""
    pointer = re.search(r"\(\*(\w+)\)\s*\(", text)
    if pointer:
        return pointer.group(1), None
    found = re.search(r"(\w+)\s*((?:\[[^\]]*\])*)\s*(?::\s*(\d+))?$", text)
    return found.group(1), found.group(3)


def fields(body):
    """(declaration, name, bits) of each field; those of unnamed structs and unions are among the others."""
    depth, start = 0, 0
    for at, char in enumerate(body):
        depth += (char == "{") - (char == "}")
        if char != ";" or depth:
            continue
        text = body[start:at].strip()
        start = at + 1
        if "{" in text:
            yield from fields(text[text.index("{") + 1:text.rindex("}")])
            continue
        text = squeeze(text)
        if "(" in text or "," not in text:
            yield (text, *declarator(text))
            continue
        first, *others = [part.strip() for part in text.split(",")]
        kind = re.match(r"(.*?)\**\w+(\[[^\]]*\])*$", first).group(1).rstrip()
        yield (first, *declarator(first))
        for other in others:
            other = f"{kind} {other}"
            yield (other, *declarator(other))


class Headers:
    """What the public headers declare, in order of names."""

    def __init__(self):
        self.functions, self.inlines, self.typedefs = {}, {}, {}
        self.structs, self.enums, self.macros = {}, {}, []
        self.files = sorted(glob.glob(os.path.join(HEADERS, "xperf/*.h")))
        for path in self.files:
            with open(path, encoding="utf-8") as file:
                self.read(file.read())

    def read(self, text):
        unstable = set(re.findall(r"/\*\* (xp_\w+) - (?:(?!\*/).)*?\bUnstable\b",
                                  re.sub(r"/\*\*\s*\n \* ", "/** ", text), re.S))
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = text.replace("\\\n", " ")
        for name, value in re.findall(r"^#define (XP_\w+)[ \t]+(\S.*)$", text, re.M):
            if not re.match(r"__attribute__|extern|static|}", value):
                self.macros.append(name)
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        text = re.sub(r"\bXP_PAGE_INLINE\b", "static inline", text)
        text = re.sub(r"\b(XP_BEGIN_DECLS|XP_END_DECLS|__extension__)\b", "", text)
        for statement in statements(text):
            self.declare(statement, unstable)

    def declare(self, text, unstable):
        line = squeeze(text)
        if line.startswith("XP_API "):
            line = re.sub(r" XP_PRINTF\(.*?\)$", "", line[7:])
            name = re.search(r"(\w+)\s*\(", line).group(1)
            self.functions[name] = ("unstable " if name in unstable else "") + "function " + line
        elif line.startswith("static inline "):
            line = line[len("static inline "):]
            self.inlines[re.search(r"(\w+)\s*\(", line).group(1)] = "inline " + line
        elif line.startswith("typedef "):
            self.typedefs[re.search(r"\(\*(\w+)\)|(\w+)$", line).group(0)] = line
        elif line.startswith("enum") and "{" in line:
            name = line[:line.index("{")].split()[1:] or ["-"]
            body = line[line.index("{") + 1:line.rindex("}")]
            items = [part.split("=")[0].strip() for part in split_commas(body)]
            self.enums.setdefault(name[0], []).extend(item for item in items if item)
        elif re.match(r"(struct|union) \w+ {", line):
            name = line[:line.index("{")].strip()
            self.structs[name] = list(fields(text[text.index("{") + 1:text.rindex("}")]))


def split_commas(text):
    """Parts between commas that are in no parentheses."""
    return re.split(r",(?![^(]*\))", text)


BITS = """
static void bits(const unsigned char *at, size_t len, const char *declaration)
{
	size_t first = 0, nr = 0;

	for (size_t i = 0; i < len * 8; i++) {
		if (!(at[i / 8] >> i % 8 & 1))
			continue;
		first = nr++ ? first : i;
	}
	printf("\\t%zu.%zu:%zu 8 %s\\n", first / 64 * 8, first % 64, nr, declaration);
}
"""


def program(headers):
    """A C program that prints layouts and values."""
    names = [os.path.relpath(path, HEADERS) for path in headers.files]
    yield "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n"
    yield from (f"#include <{name}>\n" for name in names)
    yield BITS + "int main(void)\n{\n"
    for name, members in sorted(headers.structs.items()):
        yield f'\tprintf("{name} size %zu align %zu\\n", sizeof({name}), _Alignof({name}));\n'
        for text, member, bits in members:
            if bits:
                yield (f"\t{{ {name} x; memset(&x, 0, sizeof(x)); x.{member} = ~x.{member};\n"
                       f'\tbits((unsigned char *)&x, sizeof(x), "{text}"); }}\n')
                continue
            size = "(size_t)0" if text.endswith("[]") else f"sizeof((({name} *)0)->{member})"
            yield f'\tprintf("\\t%zu %zu {text}\\n", offsetof({name}, {member}), {size});\n'
    for name, items in sorted(headers.enums.items()):
        yield f'\tprintf("enum {name}\\n");\n'
        for item in items:
            yield f'\tprintf("\\t{item} %lld\\n", (long long){item});\n'
    yield '\tprintf("constants\\n");\n'
    for name in headers.macros:
        if name != "XP_VERSION_NUM":
            yield f'\tprintf("\\t{name} 0x%llx\\n", (unsigned long long){name});\n'
    yield "\treturn 0;\n}\n"


def description(headers):
    """The whole text."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as work:
        source, binary = os.path.join(work, "layout.c"), os.path.join(work, "layout")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(program(headers))
        subprocess.run([compiler, "-w", "-I", HEADERS, "-o", binary, source], check=True)
        layouts = subprocess.run([binary], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [table[name] for table in (headers.functions, headers.inlines, headers.typedefs)
             for name in sorted(table)]
    return TITLE + "\n".join(lines) + "\n" + layouts


def sections(text):
    """The text as {section: lines}: one of each struct and enum, and one of single lines."""
    found = {"": []}
    title = ""
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("\t"):
            found[title].append(line.strip())
        elif re.match(r"(struct|union|enum|constants)\b[^(]*$", line):
            title = re.sub(r" size .*", "", line)
            found[title] = [line] if " size " in line else []
        else:
            found[""].append(line)
    return found


def lent():
    """Structs without a size of which programs get pointers only, or that are the kernel's."""
    with open(KINDS, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {f"struct {row[1]}" for row in rows if row[0] in ("lent", "kernel")}


def may_grow(text, title):
    """Whether a struct begins with its size, or ends with one that does, or is lent."""
    if title in lent():
        return True
    lines = text.get(title, [])
    last = re.match(r"\d+ \d+ (struct \w+) \w+$", lines[-1]) if len(lines) > 1 else None
    return len(lines) > 1 and (re.match(r"0 8 size_t size$|4 4 uint32_t size$", lines[1]) is not None
                               or lines[2:3] == ["4 4 uint32_t size"]
                               or last is not None and may_grow(text, last.group(1)))


def place(line):
    """(offset, bytes) of a field; of a bit field the word it is in."""
    return tuple(int(number) for number in re.match(r"(\d+)\S* (\d+)", line).groups())


def has_grown(line, new):
    """Whether an enum's number of values is larger: programs expect values that they do not know."""
    name, value = line.split()
    return re.match(r"XP_(\w+_)?NR_", name) is not None and any(
        other.split()[0] == name and int(other.split()[1], 0) > int(value, 0) for other in new)


def broken(title, old, new, growing):
    """What of a section is no longer as it was. What was reserved may be used."""
    if not title:
        kept = set(new) | {line.removeprefix("unstable ") for line in new}
        yield from (f"gone or changed: {line}" for line in old
                    if line not in kept and not line.startswith(("unstable ", "inline ")))
        return
    if title.startswith(("enum", "constants")):
        yield from (f"{title}: gone or changed: {line}" for line in old
                    if line not in new and not has_grown(line, new))
        return
    reserved = [place(line) for line in old[1:] if re.search(r"\breserved", line)]
    size, new_size = (int(lines[0].split()[3]) for lines in (old, new))
    last = old[-1]
    for line in old[1:]:
        grown = (growing and line == last and
                 any(other.startswith(line.split()[0] + " ") and other.split(" ", 2)[2:] ==
                     line.split(" ", 2)[2:] for other in new[1:]))
        if line not in new and not grown and not re.search(r"\breserved", line):
            yield f"{title}: gone or changed: {line}"
    if old[0].split(" align ")[1] != new[0].split(" align ")[1]:
        yield f"{title}: the alignment changed"
    if size != new_size and (not growing or new_size < size):
        yield f"{title}: {size} bytes became {new_size}, and it may not grow"
    for line in new[1:]:
        offset = place(line)[0]
        if line not in old and offset < size and place(last)[0] != offset and not any(
                start <= offset < start + room for start, room in reserved):
            yield f"{title}: new, but not at the end: {line}"


def compare(old, new):
    """Lines about what breaks programs."""
    old, new = sections(old), sections(new)
    return [line for title, lines in old.items()
            for line in (broken(title, lines, new[title], may_grow(old, title))
                         if title in new else [f"{title}: gone"])]


def main(args):
    if args[:1] == ["compare"] and len(args) == 3:
        texts = []
        for path in args[1:]:
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        faults = compare(*texts)
        print("\n".join(faults), end="\n" if faults else "")
        return 1 if faults else 0
    if args:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.write(description(Headers()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
