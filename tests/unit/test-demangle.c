/* SPDX-License-Identifier: MIT */
/* Mangled names, and what is shown of them: as perf 6.1 has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

struct row {
	int line;
	const char *mangled;
	const char *shown; /* NULL: it is not mangled */
};

#define ROW(mangled, shown)                                                                        \
	{                                                                                          \
		__LINE__, mangled, shown                                                           \
	}

static const struct row cxx[] = {
	ROW("_Z3foov", "foo"),
	ROW("_ZL3fooi", "foo"),
	ROW("_Z3fooIiEvT_", "foo<int>"),
	ROW("_Z3fooB5cxx11v", "foo[abi:cxx11]"),
	ROW("_ZlsRSoRK1A", "operator<<"),
	ROW("_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<int&>"),
	ROW("_ZN2ns3BoxIdE4workEiRKSs", "ns::Box<double>::work"),
	ROW("_ZNK2ns3BoxIdE4workEi", "ns::Box<double>::work"),
	ROW("_ZNKR2ns3Box4workEv", "ns::Box::work"),
	ROW("_ZN2ns3BoxC1Ev", "ns::Box::Box"),
	ROW("_ZN2ns3BoxcvbEv", "ns::Box::operator bool"),
	ROW("_ZNK2ns3BoxcvPKcEv", "ns::Box::operator char const*"),
	ROW("_ZN2ns3BoxclEi", "ns::Box::operator()"),
	ROW("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"),
	ROW("_ZZ4mainE1x", "main::x"),
	ROW("_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run"),
	ROW("_ZN2ns3runEv.part.0", "ns::run"),
	ROW("_ZTV3Foo", "vtable for Foo"),
	ROW("_ZThn16_N3Foo3barEi", "non-virtual thunk to Foo::bar(int)"),
	ROW("_ZGVZ3foovE1x", "guard variable for foo()::x"),
	ROW("_Z", NULL),
	ROW("_Z3f", NULL),
	ROW("_ZN", NULL),
	ROW("_ZEEEEEEEE", NULL),
	ROW("main", NULL),
	ROW("", NULL),
	ROW("_start", NULL),
};

static const struct row cxx_in_full[] = {
	ROW("_Z3foov", "foo()"),
	ROW("_Z3fooIiEvT_", "void foo<int>(int)"),
	ROW("_ZNK2ns3BoxIdE4workEi", "ns::Box<double>::work(int) const"),
	ROW("_ZN2ns3runEv.part.0", "ns::run() [clone .part.0]"),
	ROW("_ZTV3Foo", "vtable for Foo"),
	ROW("main", NULL),
};

static const struct row rust_v0[] = {
	ROW("_RNvCs6GmmlP4bgsG_1r5plain", "r::plain"),
	ROW("_RINvNtCs6GmmlP4bgsG_1ru9gre_6ka8iu8nave_6pahEB4_", "r::größe::naïve::<u8>"),
	ROW("_RNvCs6GmmlP4bgsG_1ru22egbpdaj6bu4bxfgehfvwxn",
	    "r::\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628\u064a\u061f"),
	ROW("_RNvCs6GmmlP4bgsG_1ru24ihqwcrb4cv8a8dqg056pqjye", "r::他们为什么不说中文"),
	ROW("_RNvCs6GmmlP4bgsG_1ru3a_9", "r::punycode{a_9}"),
	ROW("_RNvCs6GmmlP4bgsG_1ru10a_99999999", "r::punycode{a_99999999}"),
};

/* As perf 6.1 shows them, measured. */
static const struct row ocaml[] = {
	ROW("camlStdlib__List__map_154", "Stdlib.List.map_154"),
	ROW("camlDemo__Inner__$2b$21_19", "Demo.Inner.+!_19"),
	ROW("camlFoo___bar_12", "Foo._bar_12"),
	ROW("camlFoo____entry", "Foo..entry"),
	ROW("camlFoo__Bar.baz_2", "Foo.Bar.baz_2"),
	ROW("camlFoo__x$4", "Foo.x$4"),
	ROW("camlA$zz__b", "A$zz.b"),
	ROW("camlFoo__$c3$a9_1", "Foo.é_1"),
	ROW("camlFoo__$00", "Foo.$00"),
	ROW("camlFoo", "Foo"),
	ROW("caml_alloc_small", NULL),
	ROW("caml__x", NULL),
	ROW("caml", NULL),
};

static const struct row rust_legacy[] = {
	ROW("_ZN3std2io5stdio6_print17h0123456789abcdefE", "std::io::stdio::_print"),
	ROW("_ZN4core3fmt9Formatter9write_str17hb7ccba5d0a0d1b2cE.llvm.123",
	    "core::fmt::Formatter::write_str"),
	ROW("_ZN71_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop"
	    "17h0123456789abcdefE",
	    NULL), /* a wrong length */
	ROW("_ZN55_$LT$alloc..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE",
	    "<alloc::Vec<T> as core::ops::Drop>::drop"),
	ROW("_ZN3foo30_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", NULL),
	ROW("_ZN3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "foo::{{closure}}"),
	ROW("_ZN3foo8$RF$$BP$17h0123456789abcdefE", "foo::&*"),
	ROW("_ZN3foo8$XX$$BP$17h0123456789abcdefE", "foo::$XX$*"),
};

static void check(const struct row *rows, size_t nr, bool in_full)
{
	struct demangler demangler;

	xp_demangler_init(&demangler);
	demangler.in_full = in_full;
	for (size_t i = 0; i < nr; i++) {
		char *shown = xp_demangle(&demangler, rows[i].mangled, strlen(rows[i].mangled));
		const char *is = shown ? shown : "nothing";
		const char *wanted = rows[i].shown ? rows[i].shown : "nothing";

		if (strcmp(is, wanted) != 0)
			fail_msg("line %d: %s: %s, not %s", rows[i].line, rows[i].mangled, is,
				 wanted);
		free(shown);
	}
	xp_demangler_fini(&demangler);
}

static void cxx_names(void **state)
{
	struct demangler demangler;

	(void)state;
	xp_demangler_init(&demangler);
	char *any = xp_demangle(&demangler, "_Z3foov", 7);
	xp_demangler_fini(&demangler);
	if (!any) {
		puts("there is no libstdc++.so.6");
		skip();
	}
	free(any);
	check(cxx, sizeof(cxx) / sizeof(cxx[0]), false);
	check(cxx_in_full, sizeof(cxx_in_full) / sizeof(cxx_in_full[0]), true);
}

/* A name in which what is in front of it is named twice, @levels times. */
static void double_up(char *name, size_t room, const char *start, const char *end,
		      unsigned int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = (size_t)snprintf(name, room, "%s1a1bIS_S_E", start);

	for (unsigned int i = 1; i < levels; i++)
		len += (size_t)snprintf(name + len, room - len, "S0_IS%c_S%c_E", digits[i],
					digits[i]);
	snprintf(name + len, room - len, "%s", end);
}

/* Gigabytes of text, and searches that do not end: they are left as they are, at once. */
static void endless_cxx_names(void **state)
{
	struct demangler demangler;
	char name[1024];
	const struct {
		const char *start, *end;
	} around[] = { { "_Z1f", "" }, { "_Z1fDp", "" }, { "_Z1fIXsZ", "EEvv" } };

	(void)state;
	xp_demangler_init(&demangler);
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		double_up(name, sizeof(name), around[i].start, around[i].end, 34);
		assert_null(xp_demangle(&demangler, name, strlen(name)));
	}
	size_t len = (size_t)snprintf(name, sizeof(name), "_ZN1acv");
	for (int i = 0; i < 80; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "T_I");
	snprintf(name + len, sizeof(name) - len, "iEEv");
	assert_null(xp_demangle(&demangler, name, strlen(name)));
	len = (size_t)snprintf(name, sizeof(name), "_Z1fI");
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "Z1gI");
	len += (size_t)snprintf(name + len, sizeof(name) - len, "1a");
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "EvT_T_E1x");
	snprintf(name + len, sizeof(name) - len, "EvT_T_");
	assert_null(xp_demangle(&demangler, name, strlen(name)));
	xp_demangler_fini(&demangler);
}

/* f(a...), where each of six parameters is a function with nine parameters like the one before. */
static void long_cxx_names(void **state)
{
	enum { LETTERS = 500, LEVELS = 6, USES = 9 };
	struct demangler demangler;
	char name[1024];
	size_t len = (size_t)snprintf(name, sizeof(name), "_Z1f%d", LETTERS);

	(void)state;
	memset(name + len, 'a', LETTERS);
	len += LETTERS;
	for (int level = 0; level < LEVELS; level++) {
		len += (size_t)snprintf(name + len, sizeof(name) - len, "PFv");
		for (int use = 0; use < USES && level; use++)
			len += (size_t)snprintf(name + len, sizeof(name) - len, "S%c_",
						'0' + 2 * level - 1);
		for (int use = 0; use < USES && !level; use++)
			len += (size_t)snprintf(name + len, sizeof(name) - len, "S_");
		len += (size_t)snprintf(name + len, sizeof(name) - len, "E");
	}
	xp_demangler_init(&demangler);
	assert_null(xp_demangle(&demangler, name, len));
	xp_demangler_fini(&demangler);
}

static void rust_legacy_names(void **state)
{
	(void)state;
	check(rust_legacy, sizeof(rust_legacy) / sizeof(rust_legacy[0]), false);
}

static void rust_v0_names(void **state)
{
	(void)state;
	check(rust_v0, sizeof(rust_v0) / sizeof(rust_v0[0]), false);
}

static void ocaml_names(void **state)
{
	(void)state;
	check(ocaml, sizeof(ocaml) / sizeof(ocaml[0]), false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cxx_names),      cmocka_unit_test(endless_cxx_names),
		cmocka_unit_test(long_cxx_names), cmocka_unit_test(rust_legacy_names),
		cmocka_unit_test(rust_v0_names),  cmocka_unit_test(ocaml_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
