/* image: see image.h. */
#include "init/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "init/own.h"

#define IMAGE_HEAD_MAX 256 /* the kernel's own BINPRM_BUF_SIZE */
#define IMAGE_PROGRAM_HEADERS_MAX 128

/* `#!`, blanks, the path up to a blank or the end of the line: execve(2). */
static void image_read_shebang(const char *head, size_t length, struct image *image)
{
	size_t start = 2;
	size_t end;

	while (start < length && (head[start] == ' ' || head[start] == '\t'))
		start++;
	end = start;
	while (end < length && head[end] && !strchr(" \t\n", head[end]))
		end++;
	memcpy(image->interpreter, head + start, end - start);
}

/* The loader's path of a 64 bit program of our own byte order, elf(5). */
static void image_read_loader(int fd, const char *head, size_t length, struct image *image)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (length < sizeof(header) || head[EI_CLASS] != ELFCLASS64)
		return;
	memcpy(&header, head, sizeof(header));
	if (header.e_phentsize != sizeof(segment) || header.e_phnum > IMAGE_PROGRAM_HEADERS_MAX ||
	    header.e_phoff > INT32_MAX)
		return;
	for (int i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)header.e_phoff + i * (off_t)sizeof(segment);

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return;
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz >= sizeof(image->interpreter) || segment.p_offset > INT32_MAX)
			return;
		if (pread(fd, image->interpreter, segment.p_filesz, (off_t)segment.p_offset) !=
		    (ssize_t)segment.p_filesz)
			image->interpreter[0] = '\0';
		return;
	}
}

struct image image_read(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct image image = {};
	char head[IMAGE_HEAD_MAX - 1];
	const char *line_end;
	ssize_t n;

	n = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);
	if (n < 0)
		return image;
	if (n >= 2 && head[0] == '#' && head[1] == '!') {
		image.kind = IMAGE_SCRIPT;
		image_read_shebang(head, (size_t)n, &image);
	} else if (n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0) {
		image.kind = IMAGE_ELF;
		image_read_loader(fd, head, (size_t)n, &image);
	} else {
		line_end = memchr(head, '\n', (size_t)n);
		if (!memchr(head, '\0', line_end ? (size_t)(line_end - head) : (size_t)n))
			image.kind = IMAGE_BARE_SCRIPT;
	}
	return image;
}
