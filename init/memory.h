/*
 * memory: gives back what only the boot needed, once nothing but supervising is left.
 */
#pragma once

/*
 * Drops this program's own clean pages (code and constants come back from the page cache as they
 * are touched), the part of the stack below the caller and the free part of the heap.  Never
 * fails, and changes no byte that is still in use.  Does nothing under a sanitizer.
 */
void memory_give_back(void);
