// version.h: the version of the library as text.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_VERSION_H
#define TN_CORE_TEXT_VERSION_H

#include <tenon/tenon.h>

#define TN_TEXT_OF(x)      #x
#define TN_DOTTED(a, b, c) TN_TEXT_OF(a) "." TN_TEXT_OF(b) "." TN_TEXT_OF(c)
#define TN_VERSION         TN_DOTTED(TENON_VERSION_MAJOR, TENON_VERSION_MINOR, TENON_VERSION_PATCH)

#endif  // TN_CORE_TEXT_VERSION_H
