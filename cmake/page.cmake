# SPDX-License-Identifier: MIT
# A file as an array of C: cmake -D IN=FILE -D OUT=FILE.c -P page.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "/* SPDX-License-Identifier: MIT */
#include \"html-page.h\"

const char xp_html_page[] = { ${bytes} 0 };
")
