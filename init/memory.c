/* memory: see memory.h. */
#include "init/memory.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define STACK_BELOW (256 * 1024) /* more than the boot ever used */
#define STACK_MARGIN 8192        /* the frames of this very call */

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMORY_SANITIZED 1
#endif
#endif

#ifndef MEMORY_SANITIZED
/* The linker's own name for the start of the image, ld(1). */
extern const char __ehdr_start __attribute__((visibility("hidden")));

/*
 * Segments that cannot be written: MADV_DONTNEED of a private file mapping forgets the page and
 * reads it anew, madvise(2).  Relocated pages lie in the writable segment and are left alone.
 */
static void memory_drop_image(uintptr_t page)
{
	const ElfW(Phdr) *segment = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM);
	uintptr_t base = (uintptr_t)&__ehdr_start; /* of a PIE, whose first address is 0 */

	for (size_t i = 0; segment && i < n; i++) {
		uintptr_t start = base + segment[i].p_vaddr;
		uintptr_t end = (start + segment[i].p_memsz) & ~(page - 1);

		if (segment[i].p_type != PT_LOAD || (segment[i].p_flags & PF_W))
			continue;
		start &= ~(page - 1);
		if (end > start)
			(void)madvise((void *)start, end - start, MADV_DONTNEED);
	}
}
#endif

void memory_give_back(void)
{
#ifndef MEMORY_SANITIZED
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);

	(void)malloc_trim(0);
	(void)madvise((void *)(here - STACK_BELOW), STACK_BELOW - STACK_MARGIN, MADV_DONTNEED);
	memory_drop_image(page);
#endif
}
