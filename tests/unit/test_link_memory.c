/*
 * link memory: each allocation of the step fails in turn.  It says -ENOMEM or does its work, it
 * gives back all it took, and the link is the old one or the new one.
 *
 * malloc(3) is replaced for the whole program, jansson's calls included; sanitizers replace it
 * themselves, so with them the failing ones are only looked for by running the step.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "init/own.h"
#include "symlinks/links.h"
#include "tests/helpers/ground.h"

/* All of these are of the one thread that there is. */
static bool armed;
static unsigned long allocations, failing;
static long living;

#if !GROUND_SANITIZED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *pointer);

static bool fails(void)
{
	return armed && ++allocations == failing;
}

void *malloc(size_t size)
{
	if (fails()) {
		errno = ENOMEM;
		return NULL;
	}
	living += armed;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	if (fails()) {
		errno = ENOMEM;
		return NULL;
	}
	living += armed;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	if (fails()) {
		errno = ENOMEM;
		return NULL;
	}
	living += armed && !old;
	return __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t n, size_t size)
{
	return size && n > SIZE_MAX / size ? NULL : realloc(old, n * size);
}

void free(void *pointer)
{
	living -= armed && pointer;
	__libc_free(pointer);
}
#endif

/*
 * [{"from":"~/.old","to":"w"},{"from":"~/.new/x","to":"w/x"},{"from":"~/.old","to":"../x"},
 *  {"from":7},[],{"from":"~/.file","to":"w"}]
 */
static const char value[] =
	"W3siZnJvbSI6In4vLm9sZCIsInRvIjoidyJ9LHsiZnJvbSI6In4vLm5ldy94IiwidG8iOiJ3L3gifSx7ImZyb20i"
	"OiJ+Ly5vbGQiLCJ0byI6Ii4uL3gifSx7ImZyb20iOjd9LFtdLHsiZnJvbSI6In4vLmZpbGUiLCJ0byI6IncifV0=";

struct made {
	char *home, *agent, *old, *was, *will;
};

static struct made make(const struct ground *ground)
{
	AUTO_FREE char *file = ground_path(ground, "home/.file");
	struct made made = {
		.home = ground_path(ground, "home"),
		.agent = ground_path(ground, "agent"),
		.old = ground_path(ground, "home/.old"),
		.was = ground_path(ground, "agent/was"),
		.will = ground_path(ground, "agent/w"),
	};

	assert_int_equal(symlink(made.was, made.old), 0);
	assert_int_equal(mkdir(file, 0755), 0);
	return made;
}

/* The step with its Nth allocation failing; 0 or -ENOMEM. */
static int place(const struct made *made, unsigned long nth, unsigned int *ret_done)
{
	const struct link_entry configured = { "~/.ini", "ini" };
	struct links_request request = {
		.value = value,
		.configured = &configured,
		.n_configured = 1,
		.agent_dir = made->agent,
		.home = made->home,
		.self = "/opt/x",
	};
	struct links_report report = {};
	struct fault f = {};
	int r;

	allocations = 0;
	failing = nth;
	armed = true;
	r = links_place(&request, &report, &f);
	*ret_done = report.created + report.unchanged + report.replaced;
	links_report_clear(&report);
	armed = false;
	return r;
}

static void any_allocation_may_fail(void **state)
{
	unsigned long nth = 0, failed = 0;
	unsigned int done;

	(void)state;
	do {
		struct ground ground;
		struct made made;
		char says[4096] = "";
		int r;

		assert_true(ground_begin(&ground));
		made = make(&ground);
		living = 0;
		r = place(&made, ++nth, &done);
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(living, 0);
		assert_true(readlink(made.old, says, sizeof(says) - 1) > 0);
		assert_true(strcmp(says, made.was) == 0 || strcmp(says, made.will) == 0);
		failed += r == -ENOMEM;
		free(made.home);
		free(made.agent);
		free(made.old);
		free(made.was);
		free(made.will);
		assert_true(ground_end(&ground));
	} while (allocations >= nth);
	print_message("# %lu allocations, %lu of them end the step\n", nth - 1, failed);
	assert_int_equal(done, 3);
#if !GROUND_SANITIZED
	assert_true(failed > 20);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("link memory", tests, NULL, NULL);
}
