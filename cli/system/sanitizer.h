// sanitizer.h: whether the program is compiled with AddressSanitizer, by GCC or by clang.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_SANITIZER_H
#define TENON_CLI_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef HAS_ADDRESS_SANITIZER
#define HAS_ADDRESS_SANITIZER 0
#endif

#endif  // TENON_CLI_SANITIZER_H
