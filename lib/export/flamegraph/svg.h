/* SPDX-License-Identifier: MIT */
/* The parts of flame graphs beside their boxes. */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

#include "out.h"

/* Rules of style; a program without its element. */
extern const char xp_svg_style[], xp_svg_script[];

/* svg-colors.c: rules of style for the classes below. */
void xp_svg_colors(struct out *out, bool has_changes);
/* Writes the class of a frame with these marks. Returns the number of its kind. */
uint32_t xp_svg_kind(struct out *out, const char *name, uint32_t marks);
/* Writes the class of a frame that weighed @before and weighs @now, of @all. */
void xp_svg_change(struct out *out, uint64_t now, uint64_t before, uint64_t all);
/* Writes a legend of the kinds whose bits are set, in a line. */
void xp_svg_legend(struct out *out, uint32_t kinds, uint32_t y);

#endif
