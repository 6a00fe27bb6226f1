/* SPDX-License-Identifier: MIT */
/* The page of HTML reports, data/html/report.html, with a final NUL. Made by cmake/page.cmake. */
#ifndef EXPORT_HTML_PAGE_H
#define EXPORT_HTML_PAGE_H

extern const char xp_html_page[];

#endif
