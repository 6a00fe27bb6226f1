/* SPDX-License-Identifier: MIT */
/* An event string cut into tokens: seven punctuation marks, quotes, and words of all other bytes.
 */
#include "lexer.h"

enum { BLANK = XP_TOKEN_NR_KINDS };

/* What a byte begins; words are what is not listed. */
static const unsigned char begins[256] = {
	['\0'] = XP_TOKEN_END + 1,  [','] = XP_TOKEN_COMMA + 1,   [':'] = XP_TOKEN_COLON + 1,
	['/'] = XP_TOKEN_SLASH + 1, ['='] = XP_TOKEN_EQUALS + 1,  ['{'] = XP_TOKEN_OPEN + 1,
	['}'] = XP_TOKEN_CLOSE + 1, ['\''] = XP_TOKEN_QUOTED + 1, ['"'] = XP_TOKEN_QUOTED + 1,
	[' '] = BLANK + 1,          ['\t'] = BLANK + 1,           ['\n'] = BLANK + 1,
	['\r'] = BLANK + 1,
};

static int class_of(char c)
{
	int class = begins[(unsigned char)c];

	return class ? class - 1 : XP_TOKEN_WORD;
}

static struct xp_token quoted_at(const char *at)
{
	const char *close = strchr(at + 1, *at);

	if (!close)
		return (struct xp_token){ XP_TOKEN_OPEN_QUOTE, { at, 1 }, at + strlen(at) };
	return (struct xp_token){ XP_TOKEN_QUOTED,
				  { at + 1, (size_t)(close - at - 1) },
				  close + 1 };
}

struct xp_token xp_token_at(const char *at)
{
	while (class_of(*at) == BLANK)
		at++;

	int class = class_of(*at);
	if (class == XP_TOKEN_QUOTED)
		return quoted_at(at);

	size_t len = class == XP_TOKEN_END ? 0 : 1;
	if (class == XP_TOKEN_WORD)
		while (class_of(at[len]) == XP_TOKEN_WORD)
			len++;
	return (struct xp_token){ (enum xp_token_kind) class, { at, len }, at + len };
}
