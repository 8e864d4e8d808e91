/* fault: see fault.h. */
#include "init/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void fault_format(struct fault *f, const char *format,
							       va_list arguments)
{
	if (vsnprintf(f->message, sizeof(f->message), format, arguments) < 0)
		f->message[0] = '\0';
}

int fault_set(struct fault *f, int error, const char *format, ...)
{
	va_list arguments;
	size_t used;

	if (!f)
		return error;
	f->error = -error;
	va_start(arguments, format);
	fault_format(f, format, arguments);
	va_end(arguments);
	used = strlen(f->message);
	(void)snprintf(f->message + used, sizeof(f->message) - used, ": %s", strerror(-error));
	return error;
}

int fault_say(struct fault *f, int error, const char *format, ...)
{
	va_list arguments;

	if (!f)
		return error;
	f->error = 0;
	va_start(arguments, format);
	fault_format(f, format, arguments);
	va_end(arguments);
	return error;
}
