// error.c: filling in a tenon_error.
// SPDX-License-Identifier: MIT

#include "core/text/error.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const code_words[] = {
#define CODE_WORD(id, word, meaning) word,
    TENON_CODES(CODE_WORD)
#undef CODE_WORD
};

const char *tenon_code_word(tenon_code code)
{
    size_t count = sizeof code_words / sizeof code_words[0];
    return (size_t)code < count ? code_words[code] : "unknown";
}

void tn_error_clear(tenon_error *err)
{
    if (err) *err = (tenon_error){.offset = TENON_ABSENT};
}

bool tn_error(tenon_error *err, tenon_code code, const char *fmt, ...)
{
    if (!err) return false;
    tn_error_clear(err);
    err->code = code;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    return false;
}
