/* SPDX-License-Identifier: MIT */
/* Divides a text into words, with the quotes of POSIX shells: XCU 2.2, "Quoting". */
#include "words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

static const char blanks[] = " \t\n";
/* What makes a shell do something, outside of quotes. */
static const char operators[] = "|&;<>()$`";
/* Before these, \ is none in "…". */
static const char escaped_in_quotes[] = "$`\"\\\n";

struct splitter {
	const char *text;
	const char *at;
	char *to; /* words go here, each ends with a NUL */
	struct xp_diag *diag;
};

static int refuse(struct splitter *s, int len, const char *what)
{
	int err = xp_diag_set(s->diag, -EINVAL, "%s", what);

	xp_diag_at(s->diag, s->text, (int)(s->at - s->text), len);
	return err;
}

static int copy_quoted(struct splitter *s)
{
	const char *begin = s->at, quote = *s->at++;

	for (; *s->at != quote; s->at++) {
		if (!*s->at) {
			s->at = begin;
			return refuse(s, 1, "A quote has no end");
		}
		if (quote == '"' && *s->at == '\\' && s->at[1] &&
		    strchr(escaped_in_quotes, s->at[1]))
			s->at++;
		*s->to++ = *s->at;
	}
	s->at++;
	return 0;
}

static int copy_word(struct splitter *s)
{
	int err = 0;

	while (!err && *s->at && !strchr(blanks, *s->at)) {
		if (strchr(operators, *s->at)) {
			refuse(s, 1,
			       "Commands are not passed to a shell, in which this means something");
			xp_diag_hint(s->diag, "Use --shell, or put it in quotes");
			return -EINVAL;
		}
		if (*s->at == '\'' || *s->at == '"') {
			err = copy_quoted(s);
		} else {
			if (*s->at == '\\' && s->at[1])
				s->at++;
			*s->to++ = *s->at++;
		}
	}
	*s->to++ = '\0';
	return err;
}

int words_split(const char *text, char ***ret_argv, struct xp_diag *diag)
{
	/* At most one word for two characters, and one more; then all characters, each word ended.
	 */
	size_t len = strlen(text), nr = 0, room = len / 2 + 2;
	char **argv = malloc(room * sizeof(*argv) + len + room);
	struct splitter s = { text, text, (char *)(argv + room), diag };
	int err = 0;

	if (!argv)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (;;) {
		s.at += strspn(s.at, blanks);
		if (err || !*s.at)
			break;
		argv[nr++] = s.to;
		err = copy_word(&s);
	}
	argv[nr] = NULL;
	if (!err && !nr)
		err = refuse(&s, 0, "A command is empty");
	if (err) {
		free(argv);
		return err;
	}
	*ret_argv = argv;
	return 0;
}
