# SPDX-License-Identifier: MIT
"""Compares lines and inlined functions of random code addresses: compare.py LINES-OF FILE NUMBER
TRUTH, where TRUTH is addr2line, llvm-symbolizer, or another FILE with the same code, whose lines are
the same. Prints the first differences; exit status 1 if there are any, 77 if TRUTH cannot be asked.

The name of the function itself is the symbol table's matter and is not compared. binutils gives an
inlined function that has no linkage name, as lambdas in C++, the name of the symbol around it: then
its name is not compared either.
"""
import os
import random
import re
import subprocess
import sys

lines_of, path, number, truth = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=100).stdout


def code_of(path):
    """The sections of code: address and length."""
    row = r'\s*\[\s*\d+\] \S+\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+\s+AX'
    found = (re.match(row, line) for line in run(['readelf', '-SW', path]).splitlines())
    return [(int(m[1], 16), int(m[2], 16)) for m in found if m]


def choose(sections):
    random.seed(1)
    total = sum(length for _, length in sections)
    chosen = set()
    for _ in range(number):
        at = random.randrange(total)
        for address, length in sections:
            if at < length:
                chosen.add(address + at)
                break
            at -= length
    return sorted(chosen)


def place(text):
    file, line = text.rsplit(':', 1)
    line = re.sub(r' \(discriminator \d+\)', '', line)
    return os.path.normpath(file) + ':' + re.sub('^0$', '?', line)


def answers(text):
    """Per address: [function, place], the innermost first."""
    found, current = {}, []
    for line in text.splitlines():
        if re.fullmatch('0x[0-9a-f]+', line):
            current = found.setdefault(int(line, 16), [])
        elif line:
            current.append(line)
    return {at: [[all[i], place(all[i + 1])] for i in range(0, len(all) - 1, 2)]
            for at, all in found.items()}


def is_unknown(frames):
    return len(frames) == 1 and frames[0][1].endswith(':?')


addresses = choose(code_of(path))
asked = ''.join('0x%x\n' % address for address in addresses)
ours = answers(run([lines_of, path], asked))
symbols = set()
if truth == 'addr2line':
    theirs = answers(run(['addr2line', '-a', '-f', '-i', '-e', path], asked))
    symbols = {line.split()[-1] for line in run(['nm', path]).splitlines()}
elif truth == 'llvm-symbolizer':
    theirs = answers(run(['llvm-symbolizer', '--obj=' + path, '--output-style=GNU', '-f',
                          '--no-demangle', '-a', '-i'], asked))
else:
    theirs = answers(run([lines_of, truth], asked))
if not theirs:
    print(truth, 'gives no answer')
    sys.exit(77)

differ = inlined = 0
for address in addresses:
    a, b = ours.get(address, []), theirs.get(address, [])
    inlined += len(a) > 1
    if is_unknown(b) and (is_unknown(a) or a[0][0] == '??'):
        continue
    if a and b:
        a[-1][0] = b[-1][0] = ''
        for left, right in zip(a, b):
            if right[0] in symbols:
                left[0] = right[0] = ''
    if a != b:
        differ += 1
        if differ <= 3:
            print('%x:' % address)
            for i in range(max(len(a), len(b))):
                left, right = a[i:i + 1], b[i:i + 1]
                if left != right:
                    print(' frame %d: %s, %s: %s' % (i, left, truth, right))
print('%d addresses, %d with inlined functions, %d differ from %s'
      % (len(addresses), inlined, differ, truth))
sys.exit(1 if differ else 0)
