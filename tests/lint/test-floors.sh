#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every include leads to a floor below, as cmake/floors.cmake has it, and a header NAME-impl.h is
# included in its own folder only; and the check notices one that does not.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

mapfile -t files < <(sources 'lib/*.[ch]' 'arch/*.[ch]' 'cli/*.[ch]')
awk -f tests/lint/floor-rows.awk -f tests/lint/floors.awk cmake/floors.cmake "${files[@]}"
echo "${#files[@]} files look downwards only"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{cmake,lib/inline,lib/base,lib/sys,lib/evsel,lib/session/data/{file,reader},cli/{recording,report,diff}}
cp cmake/floors.cmake "$work/cmake/"
cd "$work"
touch lib/inline/hash.h lib/evsel/source.h lib/session/data/file/source.h lib/sys/place.h lib/sys/place-impl.h lib/evsel/event.h lib/base/str.h
touch cli/recording/recording.h cli/report/report.h
echo '#include "place.h"' >lib/base/wrong.c
echo '#include "../evsel/event.h"' >lib/sys/wrong.c
echo '#include "str.h"' >cli/wrong.c
echo '#include "report/report.h"' >cli/diff/wrong.c
echo '#include "place-impl.h"' >lib/evsel/wrong.c
echo '#include "str.h"' >lib/inline/wrong.h
printf '#include "%s"\n' hash.h >cli/right.c
echo '#include "source.h"' >lib/session/data/reader/right.c
printf '#include "%s"\n' str.h place-impl.h >lib/sys/right.c
echo '#include "recording.h"' >cli/diff/right.c
told=$(awk -f "$SOURCE_DIR/tests/lint/floor-rows.awk" -f "$SOURCE_DIR/tests/lint/floors.awk" \
	cmake/floors.cmake {lib/{base,sys},cli,cli/diff,lib/evsel}/wrong.c lib/inline/wrong.h \
	{lib/session/data/reader,lib/sys,cli,cli/diff}/right.c) && { echo "nothing noticed"; exit 1; }
diff - <(echo "$told") <<'END'
lib/base/wrong.c:1: includes "place.h" of lib/sys, which lib/base does not see
lib/sys/wrong.c:1: includes "../evsel/event.h" of lib/evsel, which lib/sys does not see
cli/wrong.c:1: includes "str.h" of lib/base, which cli does not see
cli/diff/wrong.c:1: includes "report/report.h" of cli/report, which cli/diff does not see
lib/evsel/wrong.c:1: includes "place-impl.h", which is for lib/sys alone
lib/inline/wrong.h:1: includes "str.h" of lib/base, which lib/inline does not see
END
