/* signals: names and numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <cmocka.h>

#include "init/own.h"
#include "init/signals.h"

static void signals_are_read_by_name_and_number(void **state)
{
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{ "TERM", SIGTERM },
		{ "SIGTERM", SIGTERM },
		{ "sigterm", SIGTERM },
		{ "15", SIGTERM },
		{ "1", 1 },
		{ "32", 32 },
		{ "64", 64 },
		{ "RTMIN", 34 },
		{ "SIGRTMIN+3", 37 },
		{ "RTMIN+30", 64 },
		{ "RTMAX", 64 },
		{ "rtmax-14", 50 },
		{ "RTMAX-30", 34 },
		{ "WINCH", SIGWINCH },
		{ "POLL", SIGIO },
		{ "CLD", SIGCHLD },
		{ "", -EINVAL },
		{ "SIG", -EINVAL },
		{ "0", -EINVAL },
		{ "65", -EINVAL },
		{ "-1", -EINVAL },
		{ "015", -EINVAL },
		{ "15 ", -EINVAL },
		{ "TERMS", -EINVAL },
		{ "SIGSIGTERM", -EINVAL },
		{ "RTMIN+31", -EINVAL },
		{ "RTMIN-1", -EINVAL },
		{ "RTMAX+1", -EINVAL },
		{ "RTMIN+", -EINVAL },
		{ "RTMINx", -EINVAL },
		{ "RTMIN+ 1", -EINVAL },
		{ "18446744073709551631", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (signal_parse(rows[i].text) != rows[i].want)
			fail_msg("\"%s\" is %d", rows[i].text, signal_parse(rows[i].text));
	}
}

static void every_number_has_a_name_that_reads_back(void **state)
{
	(void)state;
	for (int number = 1; number <= 64; number++) {
		char name[SIGNAL_NAME_MAX];

		signal_name(number, name);
		if (number == 32 || number == 33)
			assert_int_equal(signal_parse(name), -EINVAL);
		else
			assert_int_equal(signal_parse(name), number);
	}
}

static void only_kill_stop_and_chld_are_not_forwarded(void **state)
{
	(void)state;
	for (int number = 1; number <= 64; number++)
		assert_int_equal(signal_is_forwardable(number),
				 number != SIGKILL && number != SIGSTOP && number != SIGCHLD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_read_by_name_and_number),
		cmocka_unit_test(every_number_has_a_name_that_reads_back),
		cmocka_unit_test(only_kill_stop_and_chld_are_not_forwarded),
	};

	return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
