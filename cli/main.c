/* SPDX-License-Identifier: MIT */
/* The program on the real kernel. */
#include "cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv, NULL);
}
