#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `annotate` of the recordings in tests/data/annotate, which have their programs beside them.
set -euo pipefail

golden=$SOURCE_DIR/tests/data/annotate/expected
. "$SOURCE_DIR/tests/golden/shown.sh"
have libcapstone || { echo "built without capstone"; exit 77; }
have libelf || { echo "built without libelf"; exit 77; }
cd "$SOURCE_DIR/tests/data/annotate"
source=(--symfs . --prefix . --prefix-strip 1)

while read -r line; do
	read -ra options <<<"$line"
	show 120 annotate -f "${source[@]}" "${options[@]}"
done >"$work/shown" <<'END'
-i x86_64.data
-i x86_64.data -s mix -l
-i x86_64.data mix --group --show-nr-samples
-i x86_64.data mix --group -l -P
-i x86_64.data -s mix --no-source --asm-raw -M intel --show-total-period
-i x86_64.data -q -s mix --no-source --percent-type global-hits
-i x86_64.data -q -s mix --no-source --stdio-color always
-i i386.data -q -s mix
-i aarch64.data -q -s mix
-i arm.data -q -s mix
-i thumb.data -q -s mix
END
same machines

# The instruction of each sample
for machine in x86_64 i386 aarch64 arm; do
	show 9 script -f --symfs . -i "$machine.data" -F ip,sym,symoff,insn,insnlen,disasm
done >"$work/shown"
same script

# What is left out, and why.
{
	show 5 annotate -f -i x86_64.data "${source[@]}" -s nosuch
	show 5 annotate -f -i x86_64.data "${source[@]}" -d other
	show 5 annotate -f -i x86_64.data "${source[@]}" -q --percent-limit 90 --no-source
	show 5 annotate -f -i x86_64.data --symfs /nonexistent
	show 5 annotate -f -i x86_64.data --tui -s nosuch "${source[@]}"
	show 5 annotate -f -i nosuch.data
	show 5 annotate mix other
	show 5 annotate -M masm
	show 5 annotate --percent-type some
	show 5 annotate --data-type=int
	show 5 annotate -D
	show 5 annotate --prefix-strip 1
	show 5 annotate --percent-limit 101
} >"$work/shown"
same refused

# The kernel, from a file kcore beside the copy of its symbols
if command -v python3 >/dev/null; then
	mkdir "$work/kernel"
	cp ../perfdata/kallsyms "$work/kernel/kallsyms"
	python3 - "$work/kernel/kcore" <<'END'
import struct, sys
code = bytes.fromhex("f3a4" "c3" "e8f8cfffff") + b"\x90" * 4088
with open(sys.argv[1], "wb") as out:
    out.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0))
    out.write(struct.pack("<IIQQQQQQ", 1, 7, 120, 0xffffffff81003000, 0, len(code), len(code), 4096) + code)
END
	{
		show 12 annotate -f -i ../perfdata/files/made-memory -s copy_bytes --kallsyms "$work/kernel/kallsyms"
		show 12 annotate -f -i ../perfdata/files/made-memory -s copy_bytes --kallsyms ../perfdata/kallsyms
	} | sed "s|$work|DIR|g" >"$work/shown"
	same kernel
fi

# A program with another build id is another program.
mkdir "$work/other"
cp i386 "$work/other/x86_64"
cp x86_64.data "$work/x86_64.data"
cd "$work"
show 5 annotate -f -i x86_64.data --symfs other >"$work/shown"
same other-file

# A program that ends in the middle of the function.
mkdir cut
head -c 420 "$SOURCE_DIR/tests/data/annotate/x86_64" >cut/x86_64
"$XPERF" annotate -f -i x86_64.data --symfs cut >out 2>message || true
if [[ -s out ]] || ! grep -q "Note: functions of '/x86_64' are not known" message; then
	echo "of a cut program: $(cat out message)"
	failed=1
fi
exit "$failed"
