/* SPDX-License-Identifier: MIT */
/*
 * The beginning of an HTTP request: which method, of what. Header fields are not looked at.
 * Source: RFC 9112, sections 2 and 3.
 */
#ifndef VIEW_HTTP_REQUEST_H
#define VIEW_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* A request that is longer is refused. Cookies of other servers of the machine are sent here, too.
 */
enum { REQUEST_ROOM = 16384 };

enum request_state {
	REQUEST_PARTIAL,  /* more has to come */
	REQUEST_COMPLETE, /* up to the empty line */
	REQUEST_WRONG,    /* it is none, or one of another version */
};

/* @target: in the bytes that were parsed */
struct request {
	bool is_get, is_head;
	const char *target;
	size_t target_len;
};

/* Parses what has arrived so far, which can be any bytes. *ret_request is set if it is complete. */
enum request_state request_parse(const char *bytes, size_t len, struct request *ret_request);

/* Whether it asks for @path, exactly. Takes as long for any wrong path of that length. */
bool request_is_for(const struct request *request, const char *path);

#endif
