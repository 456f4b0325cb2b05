// test_deflate.c: what is compressed is decompressed again by two decoders, and is always the same.
// SPDX-License-Identifier: MIT

#include "../plain_inflate.h"
#include "../test.h"
#include "core/compress/crc32.h"
#include "core/compress/deflate.h"
#include "core/compress/inflate.h"

#include <stdlib.h>

typedef struct stream {
    uint8_t *bytes;
    size_t size, room;
    uint32_t calls_left;  // Before it says stop.
} stream;

static bool collect(void *user, const void *bytes, size_t size)
{
    stream *s = user;
    if (s->calls_left-- == 0) return false;
    if (size > s->room - s->size) {
        s->room = 2 * (s->room + size);
        s->bytes = realloc(s->bytes, s->room);
        if (!s->bytes) abort();
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return true;
}

static const tenon_allocator plain;

// Compress; both decoders must find the data again. Returns the size of the stream.
static size_t round_trip(const uint8_t *data, uint64_t size)
{
    stream s = {.calls_left = UINT32_MAX};
    tenon_error err = {0};
    CHECK(tn_deflate(data, size, &plain, collect, &s, &err));
    uint8_t *out = malloc(size + 1), *other = malloc(size + 1);
    if (!out || !other) abort();
    uint64_t end = 0;
    const char *fault = tn_inflate(s.bytes, s.size, out, size, &end);
    CHECK_STR(fault ? fault : "", "");
    CHECK(end == s.size && memcmp(out, data, size) == 0);
    CHECK(plain_inflate(s.bytes, s.size, other, size) && memcmp(other, data, size) == 0);
    free(out);
    free(other);
    free(s.bytes);
    return s.size;
}

enum { MOST = 300000 };

// Data whose bytes repeat more or less: `kind` bits of noise, copies from up to `reach` before.
static void make_data(uint8_t *out, size_t size, uint32_t kind, uint32_t reach)
{
    uint32_t state = 7 * kind + reach;
    for (size_t at = 0; at < size;) {
        state = state * 1664525 + 1013904223;
        uint32_t r = state >> 8, distance = 1 + r % (reach ? reach : 1), count = 1 + r % 300;
        if (reach && at > distance && r % 5 < 2)
            for (; count > 0 && at < size; count--, at++) out[at] = out[at - distance];
        else
            out[at++] = (uint8_t)(r >> 4 & ((1u << kind) - 1));
    }
}

TEST(data_of_all_kinds_is_found_again)
{
    uint8_t *data = malloc(MOST);
    if (!data) abort();
    memset(data, 0, MOST);
    const size_t sizes[] = {0, 1, 2, 3, 4, 257, 258, 259, 260, 32768, 65537, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) round_trip(data, sizes[i]);
    for (uint32_t kind = 1; kind <= 8; kind++)
        for (uint32_t reach = 0; reach <= 40000; reach = 5 * reach + 3) {
            make_data(data, MOST / 3, kind, reach);
            round_trip(data, MOST / 3 - kind);
        }
    free(data);
}

// Codes of up to 15 bits are not enough for symbols that are each as rare as all before together.
TEST(codes_do_not_become_too_long)
{
    uint8_t *data = malloc(MOST);
    if (!data) abort();
    size_t size = 0;
    uint32_t state = 1;
    for (uint32_t symbol = 0, count = 1; symbol < 16; symbol++, count *= 2)
        for (uint32_t i = 0; i < count; i++) data[size++] = (uint8_t)(symbol * 16);
    for (size_t i = size - 1; i > 0; i--) {  // Mixed, so that there is little to match.
        state = state * 1664525 + 1013904223;
        size_t other = (state >> 8) % (i + 1);
        uint8_t kept = data[i];
        data[i] = data[other];
        data[other] = kept;
    }
    round_trip(data, size);
    free(data);
}

TEST(repetitions_take_little_room)
{
    uint8_t *data = malloc(MOST);
    if (!data) abort();
    memset(data, 'a', MOST);
    CHECK(round_trip(data, MOST) < 400);
    for (size_t i = 0; i < MOST; i++) data[i] = (uint8_t)(i % 251 * 7);
    CHECK(round_trip(data, MOST) < 1500);
    make_data(data, MOST, 4, 0);  // Noise of four bits.
    CHECK(round_trip(data, MOST) < 59 * (MOST / 100));
    free(data);
}

TEST(the_bytes_are_always_these)
{
    uint8_t data[5000];
    stream s = {.calls_left = UINT32_MAX};
    make_data(data, sizeof data, 5, 700);
    CHECK(tn_deflate(data, sizeof data, &plain, collect, &s, NULL));
    CHECK(tn_crc32(0, s.bytes, s.size) == UINT32_C(0x1045d94a));
    free(s.bytes);
}

TEST(a_stop_and_a_lack_of_memory_are_errors)
{
    uint8_t *data = malloc(MOST);
    if (!data) abort();
    make_data(data, MOST, 8, 0);
    for (uint32_t calls = 0; calls < 3; calls++) {
        stream s = {.calls_left = calls};
        tenon_error err = {0};
        CHECK(!tn_deflate(data, MOST, &plain, collect, &s, &err));
        CHECK(err.code == TENON_ERR_CANCELLED);
        free(s.bytes);
    }
    tenon_budget little = {.memory.limit = 1000}, lazy = {.work.limit = 1000};
    tenon_budget *budgets[] = {&little, &lazy};
    for (int i = 0; i < 2; i++) {
        stream s = {.calls_left = UINT32_MAX};
        tenon_error err = {0};
        tenon_allocator allocator = {.budget = budgets[i]};
        CHECK(!tn_deflate(data, MOST, &allocator, collect, &s, &err));
        CHECK(err.code == TENON_ERR_LIMIT && budgets[i]->memory.used == 0);
        free(s.bytes);
    }
    free(data);
}

TEST(checksums_are_those_of_png)
{
    CHECK(tn_crc32(0, (const uint8_t *)"IEND", 4) == UINT32_C(0xae426082));
    CHECK(tn_crc32(0, (const uint8_t *)"123456789", 9) == UINT32_C(0xcbf43926));
    CHECK(tn_crc32(tn_crc32(0, (const uint8_t *)"1234", 4), (const uint8_t *)"56789", 5) ==
          UINT32_C(0xcbf43926));
}

int main(void)
{
    RUN(data_of_all_kinds_is_found_again);
    RUN(codes_do_not_become_too_long);
    RUN(repetitions_take_little_room);
    RUN(the_bytes_are_always_these);
    RUN(a_stop_and_a_lack_of_memory_are_errors);
    RUN(checksums_are_those_of_png);
    TEST_END();
}
