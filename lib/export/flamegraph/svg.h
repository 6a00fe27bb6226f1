/* SPDX-License-Identifier: MIT */
/* What each flame graph has the same. */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

/* An element <style>; a program without its element. */
extern const char xp_svg_style[], xp_svg_script[];

#endif
