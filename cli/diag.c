/* SPDX-License-Identifier: MIT */
/* Shows the user what went wrong, and where in what was typed. */
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>

#include "cli.h"
#include "escape.h"
#include "utf8.h"

/* One column per character: what would do something to the terminal is shown as '?'. */
static void print_input(const char *input)
{
	for (size_t len; *input; input += len) {
		size_t its = utf8_len((const unsigned char *)input);

		len = its ? its : 1;
		if (its && !utf8_is_control((const unsigned char *)input, its))
			fwrite(input, 1, len, stderr);
		else if ((*input & 0xc0) != 0x80)
			fputc('?', stderr);
	}
}

/* Columns of the first @len bytes: continuation bytes of UTF-8 take none. */
static int columns(const char *text, int len)
{
	int nr = 0;

	for (int i = 0; i < len && text[i]; i++)
		nr += (text[i] & 0xc0) != 0x80;
	return nr;
}

/* Names in @text can come from a recording. */
static void print_line(const char *title, const char *text)
{
	struct wording buf;

	fputs(title, stderr);
	escape_print(stderr, cli_words(text, &buf));
	fputc('\n', stderr);
}

/* The form perf has, which scripts know: a backslash under the place. */
static void print_syntax_error(const struct xp_diag *diag, const char *label)
{
	int indent = fprintf(stderr, "%s syntax error: '", label);

	print_input(diag->input);
	fprintf(stderr, "'\n%*s", indent + columns(diag->input, diag->pos), "");
	print_line("\\___ ", diag->what);
}

static void print_caret(const struct xp_diag *diag)
{
	int nr = columns(diag->input + diag->pos, diag->len);

	fputs("  ", stderr);
	print_input(diag->input);
	fprintf(stderr, "\n  %*s^", columns(diag->input, diag->pos), "");
	while (--nr > 0)
		fputc('~', stderr);
	fputc('\n', stderr);
}

/* It is in the sentence already. */
static bool is_only_word(const struct xp_diag *diag)
{
	return diag->pos == 0 && !diag->input[strcspn(diag->input, " ,;=")];
}

/* Programs around perf look for this sentence, at the beginning of a line. */
static bool is_perfs(const char *sentence)
{
	static const char beginning[] = "Samples for '";

	return !strncmp(sentence, beginning, sizeof(beginning) - 1);
}

void cli_print_diag(const struct xp_diag *diag, const char *label)
{
	bool has_place = diag->pos >= 0 && (size_t)diag->pos <= strlen(diag->input);

	if (has_place && label) {
		print_syntax_error(diag, label);
	} else {
		print_line(is_perfs(diag->what) ? "" : "Error: ", diag->what);
		if (has_place && !is_only_word(diag))
			print_caret(diag);
	}
	if (diag->hint[0])
		print_line("Hint: ", diag->hint);
}
