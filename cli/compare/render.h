/* SPDX-License-Identifier: MIT */
/* What a comparison is written as. No renderer computes. */
#ifndef CLI_COMPARE_RENDER_H
#define CLI_COMPARE_RENDER_H

#include "findings.h"
#include "sink.h"

void render_text(const struct findings *f, struct sink *out);
/* As hyperfine's --export-json of version 1, and more. */
void render_json(const struct findings *f, struct sink *out);
/* A row for each command and metric. */
void render_csv(const struct findings *f, struct sink *out);
void render_markdown(const struct findings *f, struct sink *out);

/* The lines about what may have disturbed the measurement. */
void render_health(const struct findings *f, struct sink *out);

#endif
