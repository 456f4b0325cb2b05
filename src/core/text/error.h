// error.h: filling in a tenon_error.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_ERROR_H
#define TN_CORE_TEXT_ERROR_H

#include <tenon/tenon.h>

#include "core/math/floating_point.h"

#if defined(__GNUC__)
#define TN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TN_PRINTF(fmt, args)
#endif

// An error that has no place in a file. `err` may be NULL. Returns false, for `return tn_error(…)`.
bool tn_error(tenon_error *err, tenon_code code, const char *fmt, ...) TN_PRINTF(3, 4);

// No error.
void tn_error_clear(tenon_error *err);

#endif  // TN_CORE_TEXT_ERROR_H
