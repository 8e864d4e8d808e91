/* entry: see entry.h. */
#include "init/entry.h"

/*
 * Written by the code below before anything of C runs, hence no C initialiser and no hidden
 * relocation: both lie in .bss and are reached relative to the program counter.
 */
extern uint64_t entry_saved_mask __attribute__((visibility("hidden")));
extern uint32_t entry_was_taken __attribute__((visibility("hidden")));

/*
 * rt_sigprocmask(SIG_SETMASK, all, &entry_saved_mask, 8), then the C library's _start with the
 * stack and the one meaningful register (rdx, x0: the dynamic linker's exit function) as they
 * were.  The result is not looked at: with these arguments the call cannot fail, and where it
 * does (a seccomp filter) entry_was_taken stays 0 and inherit_begin() tries again.
 */
#if defined(__x86_64__)
__asm__(".section .text.typeclaw_entry,\"ax\",@progbits\n"
	".globl typeclaw_entry\n"
	".hidden typeclaw_entry\n"
	".type typeclaw_entry,@function\n"
	"typeclaw_entry:\n"
	"	endbr64\n"
	"	movq	%rdx, %r8\n"
	"	movl	$2, %edi\n"
	"	leaq	entry_all_signals(%rip), %rsi\n"
	"	leaq	entry_saved_mask(%rip), %rdx\n"
	"	movl	$8, %r10d\n"
	"	movl	$14, %eax\n"
	"	syscall\n"
	"	xorl	%ecx, %ecx\n"
	"	testq	%rax, %rax\n"
	"	sete	%cl\n"
	"	movl	%ecx, entry_was_taken(%rip)\n"
	"	movq	%r8, %rdx\n"
	"	jmp	_start\n"
	".size typeclaw_entry, . - typeclaw_entry\n");
#elif defined(__aarch64__)
__asm__(".section .text.typeclaw_entry,\"ax\",@progbits\n"
	".globl typeclaw_entry\n"
	".hidden typeclaw_entry\n"
	".type typeclaw_entry,@function\n"
	"typeclaw_entry:\n"
	"	hint	#34\n" /* bti c */
	"	mov	x9, x0\n"
	"	mov	x0, #2\n"
	"	adrp	x1, entry_all_signals\n"
	"	add	x1, x1, :lo12:entry_all_signals\n"
	"	adrp	x2, entry_saved_mask\n"
	"	add	x2, x2, :lo12:entry_saved_mask\n"
	"	mov	x3, #8\n"
	"	mov	x8, #135\n"
	"	svc	#0\n"
	"	cmp	x0, #0\n"
	"	cset	w3, eq\n"
	"	adrp	x2, entry_was_taken\n"
	"	str	w3, [x2, :lo12:entry_was_taken]\n"
	"	mov	x0, x9\n"
	"	b	_start\n"
	".size typeclaw_entry, . - typeclaw_entry\n");
#else
#error "typeclaw_entry is written for x86-64 and aarch64"
#endif

__asm__(".section .rodata.entry_all_signals,\"a\",%progbits\n"
	".balign 8\n"
	"entry_all_signals:\n"
	"	.quad	0xffffffffffffffff\n"
	".section .bss.entry_saved_mask,\"aw\",%nobits\n"
	".balign 8\n"
	".globl entry_saved_mask\n"
	".hidden entry_saved_mask\n"
	"entry_saved_mask:\n"
	"	.zero	8\n"
	".globl entry_was_taken\n"
	".hidden entry_was_taken\n"
	"entry_was_taken:\n"
	"	.zero	4\n"
	".text\n");

bool entry_taken(uint64_t *ret_mask)
{
	if (!entry_was_taken)
		return false;
	*ret_mask = entry_saved_mask;
	return true;
}
