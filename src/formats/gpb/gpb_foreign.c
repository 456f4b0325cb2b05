// gpb_foreign.c: recognizes files that start like a gameplay bundle but are not: a fork, and
// damage.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include <string.h>

#define GPB_FORK_MAGIC "\xabGPB\xbb\r\n\x1b\n"

// What becomes of the two quotation marks around the name if a program treats the file as text.
static const struct {
    const char *opening, *closing;
} gpb_quotes[] = {
    {"\xef\xbd\xab", "\xef\xbd\xbb"},  // Shift-JIS converted to UTF-8.
    {"\xc2\xab", "\xc2\xbb"},          // Latin-1 converted to UTF-8.
    {"\xef\xbf\xbd", "\xef\xbf\xbd"},  // UTF-8 with replacement characters.
    {"+", ";"},                        // The eighth bit was removed.
    {"?", "?"},
    {"\xab", "\xbb"},  // Unchanged: then the line ends were changed.
};

static bool gpb_starts(const uint8_t *data, uint64_t size, const char *with, size_t at)
{
    size_t length = strlen(with);
    return at <= size && length <= size - at && memcmp(data + at, with, length) == 0;
}

// The magic contains both kinds of line ends and the end-of-file mark of DOS, to reveal such
// damage.
static bool gpb_is_text_damaged(const uint8_t *data, uint64_t size)
{
    for (size_t i = 0; i < sizeof gpb_quotes / sizeof gpb_quotes[0]; i++) {
        size_t name_at = strlen(gpb_quotes[i].opening), close_at = name_at + 3;
        size_t end = close_at + strlen(gpb_quotes[i].closing);
        bool fits = gpb_starts(data, size, gpb_quotes[i].opening, 0) &&
                    gpb_starts(data, size, "GPB", name_at) &&
                    gpb_starts(data, size, gpb_quotes[i].closing, close_at);
        if (fits && end < size && (data[end] == '\r' || data[end] == '\n')) return true;
    }
    return false;
}

const char *gpb_foreign_reason(const uint8_t *data, uint64_t size)
{
    uint64_t known = size < GPB_MAGIC_SIZE ? size : GPB_MAGIC_SIZE;
    if (memcmp(data, GPB_MAGIC, (size_t)known) == 0) return NULL;
    if (size >= GPB_MAGIC_SIZE && memcmp(data, GPB_FORK_MAGIC, GPB_MAGIC_SIZE) == 0)
        return "this is a GPBX bundle, from a private fork whose layout is not published";
    if (gpb_is_text_damaged(data, size))
        return "a program changed line ends or characters as if the bundle were text, which cannot "
               "be undone: get the original file";
    return NULL;
}
