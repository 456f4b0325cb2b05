// hash.c: hashes of contents: BLAKE2b (RFC 7693) with 16 bytes.
// SPDX-License-Identifier: MIT

#include "batch/hash.h"

#include <stdbool.h>
#include <string.h>

#define OUT_SIZE 16u

static const uint64_t start[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

static const uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

void hash_begin(hash_state *state)
{
    *state = (hash_state){0};
    memcpy(state->words, start, sizeof start);
    state->words[0] ^= 0x01010000u ^ OUT_SIZE;
}

static uint64_t hash_turn(uint64_t word, unsigned bits)
{
    return word >> bits | word << (64 - bits);
}

static inline void hash_mix(uint64_t *p, uint64_t *q, uint64_t *r, uint64_t *s, uint64_t x,
                            uint64_t y)
{
    uint64_t a = *p, b = *q, c = *r, d = *s;
    a += b + x;
    d = hash_turn(d ^ a, 32);
    c += d;
    b = hash_turn(b ^ c, 24);
    a += b + y;
    d = hash_turn(d ^ a, 16);
    c += d;
    b = hash_turn(b ^ c, 63);
    *p = a, *q = b, *r = c, *s = d;
}

static void hash_block(hash_state *state, bool is_last)
{
    uint64_t v[16], m[16];
    for (int i = 0; i < 16; i++) {
        const uint8_t *p = state->block + 8 * i;
        m[i] = 0;
        for (int k = 7; k >= 0; k--) m[i] = m[i] << 8 | p[k];
    }
    memcpy(v, state->words, sizeof state->words);
    memcpy(v + 8, start, sizeof start);
    v[12] ^= state->size;
    if (is_last) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const uint8_t *row = order[round % 10];
        hash_mix(&v[0], &v[4], &v[8], &v[12], m[row[0]], m[row[1]]);
        hash_mix(&v[1], &v[5], &v[9], &v[13], m[row[2]], m[row[3]]);
        hash_mix(&v[2], &v[6], &v[10], &v[14], m[row[4]], m[row[5]]);
        hash_mix(&v[3], &v[7], &v[11], &v[15], m[row[6]], m[row[7]]);
        hash_mix(&v[0], &v[5], &v[10], &v[15], m[row[8]], m[row[9]]);
        hash_mix(&v[1], &v[6], &v[11], &v[12], m[row[10]], m[row[11]]);
        hash_mix(&v[2], &v[7], &v[8], &v[13], m[row[12]], m[row[13]]);
        hash_mix(&v[3], &v[4], &v[9], &v[14], m[row[14]], m[row[15]]);
    }
    for (int i = 0; i < 8; i++) state->words[i] ^= v[i] ^ v[i + 8];
}

void hash_add(hash_state *state, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    while (size > 0) {
        if (state->used == sizeof state->block) {
            hash_block(state, false);
            state->used = 0;
        }
        size_t room = sizeof state->block - state->used, step = size < room ? size : room;
        memcpy(state->block + state->used, p, step);
        state->used += step;
        state->size += step;
        p += step;
        size -= step;
    }
}

void hash_end(hash_state *state, char text[HASH_SIZE])
{
    memset(state->block + state->used, 0, sizeof state->block - state->used);
    hash_block(state, true);
    for (unsigned i = 0; i < OUT_SIZE; i++) {
        unsigned byte = (unsigned)(state->words[i / 8] >> i % 8 * 8 & 255);
        text[2 * i] = "0123456789abcdef"[byte >> 4];
        text[2 * i + 1] = "0123456789abcdef"[byte & 15];
    }
    text[2 * OUT_SIZE] = '\0';
}

void hash_add_text(hash_state *state, const char *text)
{
    hash_add(state, text, strlen(text) + 1);
}
