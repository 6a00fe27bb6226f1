/* SPDX-License-Identifier: MIT */
/* Included before each file of tests that becomes part of one program (one-program.c): its main()
 * is a function with a name of its own.
 */
#ifndef XPERF_TESTS_ONE_PROGRAM_H
#define XPERF_TESTS_ONE_PROGRAM_H

#define main XPERF_TEST_MAIN
int main(void);

#endif
