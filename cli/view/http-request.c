/* SPDX-License-Identifier: MIT */
/* HTTP requests, as they arrive from anybody: see http-request.h. */
#include "http-request.h"

#include <string.h>

/* --- the request line --- */

/* A word up to @end or the next blank. Returns what follows the blank; NULL: there is no word, no
 * blank, or something that is no printable ASCII in it. */
static const char *next_word(const char *at, const char *end, const char **ret_word,
			     size_t *ret_len)
{
	const char *word = at;

	while (at<end && * at> ' ' && *at < 0x7f)
		at++;
	if (at == word || at == end || *at != ' ')
		return NULL;
	*ret_word = word;
	*ret_len = (size_t)(at - word);
	return at + 1;
}

static bool is_word(const char *word, size_t len, const char *expected)
{
	return len == strlen(expected) && !memcmp(word, expected, len);
}

/* "HTTP/1.1", or another minor version of one digit. */
static bool is_version(const char *text, size_t len)
{
	return len == 8 && !memcmp(text, "HTTP/1.", 7) && text[7] >= '0' && text[7] <= '9';
}

/* @len: without the end of the line */
static bool parse_line(const char *line, size_t len, struct request *request)
{
	const char *end = line + len, *method, *at;
	size_t method_len;

	at = next_word(line, end, &method, &method_len);
	if (at)
		at = next_word(at, end, &request->target, &request->target_len);
	if (!at || !is_version(at, (size_t)(end - at)))
		return false;
	request->is_get = is_word(method, method_len, "GET");
	request->is_head = is_word(method, method_len, "HEAD");
	return true;
}

/* --- the request --- */

/* The line at @at. Returns what follows it; NULL: it has no end yet. */
static const char *next_line(const char *at, const char *end, size_t *ret_len)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	if (!newline)
		return NULL;
	*ret_len = (size_t)(newline - at);
	if (*ret_len && newline[-1] == '\r')
		--*ret_len;
	return newline + 1;
}

enum request_state request_parse(const char *bytes, size_t len, struct request *ret_request)
{
	const char *end = bytes + len, *at;
	struct request request = { 0 };
	size_t line_len = 0;

	at = next_line(bytes, end, &line_len);
	if (!at)
		return REQUEST_PARTIAL;
	if (!parse_line(bytes, line_len, &request))
		return REQUEST_WRONG;
	while (line_len && at)
		at = next_line(at, end, &line_len);
	if (!at)
		return REQUEST_PARTIAL;
	*ret_request = request;
	return REQUEST_COMPLETE;
}

bool request_is_for(const struct request *request, const char *path)
{
	size_t len = strlen(path);
	unsigned char differs = 0;

	if (request->target_len != len)
		return false;
	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)(request->target[i] ^ path[i]);
	return !differs;
}
