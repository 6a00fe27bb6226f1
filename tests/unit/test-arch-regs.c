/* SPDX-License-Identifier: MIT */
/* Registers of any machine's samples, as a recording names the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/utsname.h>

#include <xperf/arch.h>

static void machines_have_their_registers(void **state)
{
	static const struct {
		const char *machine;
		uint64_t abi;
		const char *arch;
		const char *ip, *sp; /* their names */
		int nr;
		int dwarf_ip, dwarf_sp;
	} rows[] = {
		{ "x86_64", 0, "x86", "IP", "SP", 40, 16, 7 },
		{ "x86_64", 2, "x86", "IP", "SP", 40, 16, 7 },
		{ "x86_64", 1, "x86", "IP", "SP", 24, 8, 4 },
		{ "i686", 1, "x86", "IP", "SP", 24, 8, 4 },
		{ "aarch64", 0, "arm64", "pc", "sp", 34, 32, 31 },
		{ "aarch64_be", 2, "arm64", "pc", "sp", 34, 32, 31 },
		{ "aarch64", 1, "arm64", "pc", "sp", 16, 15, 13 },
		{ "armv7l", 1, "arm", "pc", "sp", 16, 15, 13 },
		{ "riscv64", 2, "riscv", "pc", "sp", 32, -1, 2 },
		{ "ppc64le", 2, "powerpc", "nip", "r1", 45, -1, 1 },
		{ "s390x", 2, "s390", "PC", "R15", 34, 65, 15 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct xp_arch_regs *set = xp_arch_regs_find(rows[i].machine, rows[i].abi);
		uint64_t bits = 0;
		int nr = 0;

		assert_non_null(set);
		assert_string_equal(set->arch, rows[i].arch);
		assert_string_equal(xp_arch_reg_name(set, set->ip_bit), rows[i].ip);
		assert_string_equal(xp_arch_reg_name(set, set->sp_bit), rows[i].sp);
		for (const struct xp_arch_reg *reg = set->regs; reg->name; reg++, nr++) {
			/* in order, each bit once */
			assert_in_range(reg->bit, 0, 63);
			assert_true(bits < (uint64_t)1 << reg->bit);
			bits |= (uint64_t)1 << reg->bit;
			if (reg->bit == set->ip_bit)
				assert_int_equal(reg->dwarf, rows[i].dwarf_ip);
			if (reg->bit == set->sp_bit)
				assert_int_equal(reg->dwarf, rows[i].dwarf_sp);
		}
		if (nr != rows[i].nr)
			fail_msg("%s: %d registers", rows[i].machine, nr);
	}
}

static void others_have_none(void **state)
{
	(void)state;
	assert_null(xp_arch_regs_find("pdp11", 0));
	assert_null(xp_arch_regs_find("", 0));
	assert_null(xp_arch_reg_name(xp_arch_regs_find("x86_64", 2), 24));
	assert_null(xp_arch_reg_name(xp_arch_regs_find("x86_64", 2), -1));
}

/* What is recorded here can be read elsewhere by the same names. */
static void this_machine_is_among_them(void **state)
{
	const struct xp_arch *native = xp_arch_native();
	const struct xp_arch_regs *set;
	struct utsname host;

	(void)state;
	assert_int_equal(uname(&host), 0);
	set = xp_arch_regs_find(host.machine, 0);
	for (const struct xp_arch_reg *reg = native->regs; reg->name; reg++) {
		assert_non_null(set);
		assert_string_equal(xp_arch_reg_name(set, reg->bit), reg->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_have_their_registers),
		cmocka_unit_test(others_have_none),
		cmocka_unit_test(this_machine_is_among_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
