/* SPDX-License-Identifier: MIT */
/* Where the data of a sampled access came from, as text. */
#ifndef CLI_DATA_SOURCE_H
#define CLI_DATA_SOURCE_H

#include <stdint.h>

enum { DATA_SOURCE_MAX = 100 };

/* In the order of `script`. */
enum data_source_part {
	DATA_SOURCE_OP,
	DATA_SOURCE_LEVEL,
	DATA_SOURCE_SNOOP,
	DATA_SOURCE_TLB,
	DATA_SOURCE_LOCK,
	DATA_SOURCE_BLOCK,
};

/* The bits of a sample's data source that decide the text of a part. */
uint64_t data_source_bits(enum data_source_part part, uint64_t source);
/* Appends the text of a part. */
void data_source_add(char text[DATA_SOURCE_MAX], enum data_source_part part, uint64_t source);

#endif
