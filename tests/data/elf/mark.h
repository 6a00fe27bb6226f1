/* SPDX-License-Identifier: MIT */
/*
 * MARK(provider, name, semaphore): what sys/sdt.h leaves for a marker, on a 64-bit machine.
 * @semaphore: the symbol of a 16-bit variable in the section .probes, or 0
 */
#ifndef DATA_ELF_MARK_H
#define DATA_ELF_MARK_H

#define MARK(provider, name, semaphore)                                                            \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b, _.stapsdt.base, " #semaphore "\n"                      \
			 ".asciz \"" #provider "\"\n"                                              \
			 ".asciz \"" #name "\"\n"                                                  \
			 ".asciz \"4@%eax\"\n"                                                     \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
			 ".weak _.stapsdt.base\n"                                                  \
			 ".hidden _.stapsdt.base\n"                                                \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".size _.stapsdt.base, 1\n"                                               \
			 ".popsection\n"                                                           \
			 ".endif\n")

#endif
