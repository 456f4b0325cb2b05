// plain_inflate.h: zlib streams decoded bit by bit, as RFC 1951 says it, to compare with.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_PLAIN_INFLATE_H
#define TENON_TESTS_PLAIN_INFLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct plain_stream {
    const uint8_t *in;
    uint64_t size, bit;  // The next bit.
    uint8_t *out;
    uint64_t written, room;
    bool failed;
} plain_stream;

static uint32_t plain_bits(plain_stream *s, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, s->bit++) {
        if (s->bit / 8 >= s->size) s->failed = true;
        if (s->failed) return 0;
        value |= (uint32_t)(s->in[s->bit / 8] >> s->bit % 8 & 1) << i;
    }
    return value;
}

// Whether the lengths are those of a code: all bits used up, or at most one code of one bit.
static bool plain_is_code(const uint8_t *lengths, uint32_t count)
{
    uint32_t used = 0, codes = 0, last = 0;
    for (uint32_t i = 0; i < count; i++)
        if (lengths[i]) used += UINT32_C(1) << (15 - lengths[i]), codes++, last = lengths[i];
    return used == UINT32_C(1) << 15 || codes == 0 || (codes == 1 && last == 1);
}

static uint32_t plain_symbol(plain_stream *s, const uint8_t *lengths, uint32_t count)
{
    uint32_t code = 0, first = 0, counts[16] = {0};
    for (uint32_t i = 0; i < count; i++) counts[lengths[i]]++;
    for (uint32_t length = 1; length <= 15 && !s->failed; length++) {
        code = code << 1 | plain_bits(s, 1);
        first <<= 1;
        // Codes of one length are numbered in the order of their symbols.
        for (uint32_t i = 0; code - first < counts[length]; i++)
            if (lengths[i] == length && first++ == code) return i;
        first += counts[length];
    }
    s->failed = true;
    return 0;
}

static void plain_put(plain_stream *s, uint8_t byte)
{
    if (s->written == s->room) s->failed = true;
    if (!s->failed) s->out[s->written++] = byte;
}

static void plain_block(plain_stream *s, const uint8_t *symbols, uint32_t symbol_count,
                        const uint8_t *distances, uint32_t distance_count)
{
    for (;;) {
        uint32_t symbol = plain_symbol(s, symbols, symbol_count);
        if (s->failed || symbol == 256) return;
        if (symbol < 256) {
            plain_put(s, (uint8_t)symbol);
            continue;
        }
        uint32_t code = symbol - 257, extra = code < 8 || code == 28 ? 0 : code / 4 - 1;
        uint32_t length = code < 8 ? code + 3 : ((4 + code % 4) << extra) + 3;
        if (code == 28) length = 258;
        if (code > 28) s->failed = true;
        length += plain_bits(s, extra);
        code = plain_symbol(s, distances, distance_count);
        extra = code < 2 ? 0 : code / 2 - 1;
        uint64_t distance = (code < 2 ? code : (uint64_t)(2 + code % 2) << extra) + 1;
        if (code > 29) s->failed = true;
        if (s->failed) return;
        distance += plain_bits(s, extra);
        if (distance > s->written) s->failed = true;
        for (uint32_t i = 0; i < length && !s->failed; i++)
            plain_put(s, s->out[s->written - distance]);
        if (s->failed) return;
    }
}

static void plain_dynamic(plain_stream *s)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t header[19] = {0}, lengths[320] = {0};
    uint32_t symbol_count = plain_bits(s, 5) + 257, distance_count = plain_bits(s, 5) + 1;
    uint32_t count = plain_bits(s, 4) + 4;
    for (uint32_t i = 0; i < count; i++) header[order[i]] = (uint8_t)plain_bits(s, 3);
    if (symbol_count > 286 || distance_count > 30 || !plain_is_code(header, 19)) s->failed = true;
    for (uint32_t i = 0; i < symbol_count + distance_count && !s->failed;) {
        uint32_t symbol = plain_symbol(s, header, 19), times = 1;
        uint8_t length = (uint8_t)symbol;
        if (symbol >= 16) length = 0;
        if (symbol == 16 && i == 0) s->failed = true;
        if (symbol == 16 && i > 0) length = lengths[i - 1];
        if (symbol == 16) times = 3 + plain_bits(s, 2);
        if (symbol == 17) times = 3 + plain_bits(s, 3);
        if (symbol == 18) times = 11 + plain_bits(s, 7);
        if (times > symbol_count + distance_count - i) s->failed = true;
        for (; times && !s->failed; times--) lengths[i++] = length;
    }
    if (!plain_is_code(lengths, symbol_count) || lengths[256] == 0 ||
        !plain_is_code(lengths + symbol_count, distance_count))
        s->failed = true;
    if (!s->failed) plain_block(s, lengths, symbol_count, lengths + symbol_count, distance_count);
}

// Whether `in` starts with a stream of exactly `room` bytes of data.
static bool plain_inflate(const uint8_t *in, uint64_t size, uint8_t *out, uint64_t room)
{
    plain_stream s = {.in = in, .size = size, .bit = 16, .out = out, .room = room};
    if (size < 2 || (in[0] & 15) != 8 || in[0] >> 4 > 7 || in[1] & 32 || (in[0] * 256 + in[1]) % 31)
        return false;
    for (bool is_last = false; !is_last && !s.failed;) {
        is_last = plain_bits(&s, 1);
        uint32_t kind = plain_bits(&s, 2);
        uint8_t lengths[320];
        for (uint32_t i = 0; i < 320; i++)
            lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : i < 288 ? 8 : 5;
        if (kind == 1) plain_block(&s, lengths, 288, lengths + 288, 32);
        if (kind == 2) plain_dynamic(&s);
        if (kind == 3) s.failed = true;
        if (kind != 0) continue;
        s.bit = (s.bit + 7) / 8 * 8;
        uint32_t stored = plain_bits(&s, 16);
        if (plain_bits(&s, 16) != (stored ^ 0xffff)) s.failed = true;
        for (; stored && !s.failed; stored--) plain_put(&s, (uint8_t)plain_bits(&s, 8));
    }
    s.bit = (s.bit + 7) / 8 * 8;
    uint32_t a = 1, b = 0, sum = 0;
    for (uint64_t i = 0; i < s.written; i++) a = (a + out[i]) % 65521, b = (a + b) % 65521;
    for (int i = 0; i < 4; i++) sum = sum << 8 | plain_bits(&s, 8);
    return !s.failed && s.written == room && sum == (b << 16 | a);
}

#endif  // TENON_TESTS_PLAIN_INFLATE_H
