/* SPDX-License-Identifier: MIT */
/* In place of capstone.c where the build has no capstone: nothing is decoded. */
#include <errno.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>

#include "decoder.h"

int xp_decoder_open(const struct xp_disasm_opts *opts, struct decoder **ret_decoder,
		    struct xp_diag *diag)
{
	(void)opts, (void)ret_decoder;
	xp_diag_set(
		diag, -ENOSYS,
		"Instructions are decoded with capstone, and this library was built without it");
	xp_diag_hint(diag, "Install the capstone development package and build again");
	return -ENOSYS;
}

void xp_decoder_close(struct decoder *decoder)
{
	(void)decoder;
}

bool xp_decoder_next(struct decoder *decoder, const void *bytes, size_t len, uint64_t address,
		     struct decoded *ret_decoded)
{
	(void)decoder, (void)bytes, (void)len, (void)address, (void)ret_decoded;
	return false;
}
