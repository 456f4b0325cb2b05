// hash.h: hashes of contents: BLAKE2b (RFC 7693) with 16 bytes.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_HASH_H
#define TENON_CLI_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 33  // Of the text of a hash, with its NUL.

typedef struct hash_state {
    uint64_t words[8], size;
    uint8_t block[128];
    size_t used;
} hash_state;

void hash_begin(hash_state *state);
void hash_add(hash_state *state, const void *bytes, size_t size);

// The hash in hexadecimal digits. Nothing can be added afterwards.
void hash_end(hash_state *state, char text[HASH_SIZE]);

// Add a text and its end.
void hash_add_text(hash_state *state, const char *text);

#endif  // TENON_CLI_HASH_H
