// inflate.c: decompress zlib streams (RFC 1950 and 1951) into memory.
// SPDX-License-Identifier: MIT
//
// Codes are decoded with tables: the next bits of the stream are an index, and the entry says what
// the code means and how long it is. Codes longer than the index continue in a second table.
//
// An entry: bits 0 to 7 the length of the code; 8 to 12 how many extra bits follow; 13 to 15 and 31
// flags; 16 to 30 a literal, the base of a length or distance, or the index of a second table.

#include "core/compress/inflate.h"

#include "core/cursor/span.h"

#include <string.h>

enum {
    MAX_LENGTH = 15,    // Bits of the longest code.
    SYMBOL_BITS = 11,   // Of the index into the table of literals and lengths,
    DISTANCE_BITS = 8,  // of distances,
    HEADER_BITS = 7,    // and of the lengths of codes.
    SYMBOL_COUNT = 288,
    DISTANCE_COUNT = 32,
    HEADER_COUNT = 19,
    SYMBOL_ENTRIES = 2342,  // The most that these tables need, with all second tables.
    DISTANCE_ENTRIES = 402,
    END_OF_BLOCK = 256,  // The symbol.
    MAX_MATCH = 258,
    SLACK = 16,  // Bytes that the fast loop may read or write beyond what it needs.
};

#define IS_TABLE   (UINT32_C(1) << 13)
#define IS_END     (UINT32_C(1) << 14)
#define IS_INVALID (UINT32_C(1) << 15)
#define IS_LITERAL (UINT32_C(1) << 31)

typedef struct inflater {
    const uint8_t *in, *in_end;
    uint64_t bits;       // The next bits of the stream, the first one lowest.
    uint32_t bit_count;  // How many of them are known.
    uint8_t *start, *out, *end;
    const char *fault;
    uint32_t symbols[SYMBOL_ENTRIES];
    uint32_t distances[DISTANCE_ENTRIES];
} inflater;

static bool inflate_fail(inflater *z, const char *fault)
{
    if (!z->fault) z->fault = fault;
    return false;
}

// -- Bits

static void inflate_refill(inflater *z)
{
    while (z->bit_count <= 56 && z->in < z->in_end) {
        z->bits |= (uint64_t)*z->in++ << z->bit_count;
        z->bit_count += 8;
    }
}

static void inflate_skip(inflater *z, uint32_t count)
{
    z->bits >>= count;
    z->bit_count -= count;
}

// The next `count` bits, at most 16; 0, with a fault, if the stream has fewer.
static uint32_t inflate_take(inflater *z, uint32_t count)
{
    if (z->bit_count < count) inflate_refill(z);
    if (z->bit_count < count) {
        inflate_fail(z, "ends early");
        return 0;
    }
    uint32_t value = (uint32_t)z->bits & ((UINT32_C(1) << count) - 1);
    inflate_skip(z, count);
    return value;
}

// The entry of the next code, which is skipped.
static uint32_t inflate_take_code(inflater *z, const uint32_t *table, uint32_t table_bits)
{
    inflate_refill(z);
    uint32_t entry = table[z->bits & ((UINT64_C(1) << table_bits) - 1)];
    if (entry & IS_TABLE) {
        uint64_t mask = (UINT64_C(1) << (entry >> 8 & 0x1f)) - 1;
        entry = table[(entry >> 16) + (z->bits >> table_bits & mask)];
    }
    uint32_t length = entry & 0xff;
    if (length > z->bit_count) {
        inflate_fail(z, "ends early");
        return IS_INVALID;
    }
    if (entry & IS_INVALID) inflate_fail(z, "has an invalid code");
    inflate_skip(z, length);
    return entry;
}

// -- Tables

// What symbol number `symbol` of each kind of table means.
static uint32_t inflate_header_entry(uint32_t symbol)
{
    return symbol << 16;
}

static uint32_t inflate_symbol_entry(uint32_t symbol)
{
    static const uint16_t bases[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                     67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    if (symbol < END_OF_BLOCK) return IS_LITERAL | symbol << 16;
    if (symbol == END_OF_BLOCK) return IS_END;
    uint32_t i = symbol - END_OF_BLOCK - 1;
    if (i >= sizeof extras) return IS_INVALID;
    return (uint32_t)bases[i] << 16 | (uint32_t)extras[i] << 8;
}

static uint32_t inflate_distance_entry(uint32_t symbol)
{
    if (symbol >= 30) return IS_INVALID;
    if (symbol < 2) return (symbol + 1) << 16;
    uint32_t extra = symbol / 2 - 1;
    return (((2 + symbol % 2) << extra) + 1) << 16 | extra << 8;
}

// Fill the table for the codes of the given lengths (RFC 1951, 3.2.2). All codes together must use
// up the bits, except that a single code of one bit may be alone, or none be there.
static bool inflate_build(inflater *z, uint32_t *table, uint32_t table_bits, const uint8_t *lengths,
                          uint32_t symbol_count, uint32_t (*entry_of)(uint32_t symbol))
{
    uint16_t counts[MAX_LENGTH + 1] = {0}, offsets[MAX_LENGTH + 2] = {0}, sorted[SYMBOL_COUNT];
    for (uint32_t i = 0; i < symbol_count; i++) counts[lengths[i]]++;
    int32_t left = 1;
    uint32_t longest = 0;
    for (uint32_t length = 1; length <= MAX_LENGTH; length++) {
        left = 2 * left - counts[length];
        if (left < 0) return inflate_fail(z, "has more codes than bits for them");
        if (counts[length]) longest = length;
        offsets[length + 1] = (uint16_t)(offsets[length] + counts[length]);
    }
    if (left > 0 && longest > 1) return inflate_fail(z, "has fewer codes than bits for them");
    for (uint32_t i = 0; i < symbol_count; i++)
        if (lengths[i]) sorted[offsets[lengths[i]]++] = (uint16_t)i;
    for (uint32_t i = 0; left > 0 && i < UINT32_C(1) << table_bits; i++) table[i] = IS_INVALID | 1;

    // Codes count up, but the first bit of a code is the lowest bit of the index.
    uint32_t code = 0, next_table = UINT32_C(1) << table_bits, prefix = UINT32_MAX;
    uint32_t *current = table;
    for (uint32_t length = 1, i = 0; length <= longest; length++)
        for (uint32_t k = 0; k < counts[length]; k++, i++) {
            uint32_t skipped = 0, size_bits = table_bits;
            if (length > table_bits) {
                skipped = table_bits;
                if (prefix != (code & ((UINT32_C(1) << table_bits) - 1))) {
                    // A second table for all codes with this prefix. Those of the same length are
                    // followed by longer ones until the bits are used up.
                    prefix = code & ((UINT32_C(1) << table_bits) - 1);
                    uint32_t bits = length - table_bits;
                    int32_t room = (INT32_C(1) << bits) - (counts[length] - (int32_t)k);
                    while (bits + table_bits < longest && room > 0)
                        room = 2 * room - counts[++bits + table_bits];
                    current = table + next_table;
                    table[prefix] = IS_TABLE | next_table << 16 | bits << 8;
                    next_table += UINT32_C(1) << bits;
                }
                size_bits = table[prefix] >> 8 & 0x1f;
            }
            uint32_t entry = entry_of(sorted[i]) | length, step = UINT32_C(1) << (length - skipped);
            for (uint32_t at = code >> skipped; at < UINT32_C(1) << size_bits; at += step)
                current[at] = entry;
            uint32_t bit = UINT32_C(1) << (length - 1);
            while (code & bit) bit >>= 1;
            code = bit ? (code & (bit - 1)) + bit : 0;
        }
    return true;
}

// -- Blocks

static bool inflate_stored_block(inflater *z)
{
    inflate_skip(z, z->bit_count % 8);
    uint32_t size = inflate_take(z, 16), complement = inflate_take(z, 16);
    if (z->fault) return false;
    if ((size ^ complement) != 0xffff) return inflate_fail(z, "has a damaged block");
    z->in -= z->bit_count / 8;  // What was read ahead.
    z->bits = z->bit_count = 0;
    if (size > (uint64_t)(z->in_end - z->in)) return inflate_fail(z, "ends early");
    if (size > (uint64_t)(z->end - z->out)) return inflate_fail(z, "is longer than stated");
    if (size) memcpy(z->out, z->in, size);
    z->in += size;
    z->out += size;
    return true;
}

static bool inflate_fixed_tables(inflater *z)
{
    uint8_t lengths[SYMBOL_COUNT];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    if (!inflate_build(z, z->symbols, SYMBOL_BITS, lengths, SYMBOL_COUNT, inflate_symbol_entry))
        return false;
    memset(lengths, 5, DISTANCE_COUNT);
    return inflate_build(z, z->distances, DISTANCE_BITS, lengths, DISTANCE_COUNT,
                         inflate_distance_entry);
}

// The lengths of the codes are compressed as well (RFC 1951, 3.2.7).
static bool inflate_read_tables(inflater *z)
{
    static const uint8_t order[HEADER_COUNT] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[SYMBOL_COUNT + DISTANCE_COUNT] = {0};
    uint32_t symbol_count = 257 + inflate_take(z, 5), distance_count = 1 + inflate_take(z, 5);
    uint32_t header_count = 4 + inflate_take(z, 4), count = symbol_count + distance_count;
    for (uint32_t i = 0; i < header_count; i++) lengths[order[i]] = (uint8_t)inflate_take(z, 3);
    if (z->fault) return false;
    if (symbol_count > 286 || distance_count > 30) return inflate_fail(z, "has too many codes");
    // The table of distances is not needed yet.
    uint32_t *header = z->distances;
    if (!inflate_build(z, header, HEADER_BITS, lengths, HEADER_COUNT, inflate_header_entry))
        return false;
    memset(lengths, 0, HEADER_COUNT);
    for (uint32_t i = 0; i < count;) {
        uint32_t symbol = inflate_take_code(z, header, HEADER_BITS) >> 16;
        if (z->fault) return false;
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && i == 0) return inflate_fail(z, "repeats a length that is not there");
        uint8_t repeated = symbol == 16 ? lengths[i - 1] : 0;
        uint32_t times = symbol == 16   ? 3 + inflate_take(z, 2)
                         : symbol == 17 ? 3 + inflate_take(z, 3)
                                        : 11 + inflate_take(z, 7);
        if (times > count - i) return inflate_fail(z, "repeats a length too often");
        memset(lengths + i, repeated, times);
        i += times;
    }
    if (lengths[END_OF_BLOCK] == 0) return inflate_fail(z, "has a block that cannot end");
    return !z->fault &&
           inflate_build(z, z->symbols, SYMBOL_BITS, lengths, symbol_count, inflate_symbol_entry) &&
           inflate_build(z, z->distances, DISTANCE_BITS, lengths + symbol_count, distance_count,
                         inflate_distance_entry);
}

// Repeat `length` bytes from `distance` bytes before. May write SLACK bytes more.
static inline void inflate_copy(uint8_t *out, uint32_t distance, uint32_t length)
{
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
        return;
    }
    if (distance == 1) {
        memset(out, *from, length);
        return;
    }
    do *out++ = *from++;
    while (out < end);
}

// Decode while there is so much room that nothing has to be checked. Stops before a symbol if not,
// after the end of the block (which gives true), or at a fault.
static bool inflate_fast(inflater *z)
{
    const uint64_t symbol_mask = (UINT64_C(1) << SYMBOL_BITS) - 1;
    const uint64_t distance_mask = (UINT64_C(1) << DISTANCE_BITS) - 1;
    const uint8_t *in = z->in;
    uint8_t *out = z->out;
    uint64_t bits = z->bits;
    uint32_t count = z->bit_count, entry = 0;
    bool is_end = false;
// At least 56 bits. What is read twice is the same.
#define REFILL()                               \
    do {                                       \
        bits |= tn_load64(in, false) << count; \
        in += (63 - count) >> 3;               \
        count |= 56;                           \
    } while (0)
#define SKIP(n) (bits >>= (n), count -= (n))
    while (z->in_end - in >= 2 * SLACK && z->end - out >= MAX_MATCH + 2 * SLACK) {
        REFILL();
        entry = z->symbols[bits & symbol_mask];
        // Two literals leave enough bits for a length, three do without one.
        for (int i = 0; i < 3 && entry & IS_LITERAL; i++) {
            SKIP(entry & 0xff);
            *out++ = (uint8_t)(entry >> 16);
            entry = z->symbols[bits & symbol_mask];
        }
        if (entry & IS_LITERAL) continue;
        REFILL();
        if (entry & IS_TABLE) {
            uint64_t mask = (UINT64_C(1) << (entry >> 8 & 0x1f)) - 1;
            entry = z->symbols[(entry >> 16) + (bits >> SYMBOL_BITS & mask)];
        }
        SKIP(entry & 0xff);
        if (entry & IS_LITERAL) {
            *out++ = (uint8_t)(entry >> 16);
            continue;
        }
        if (entry & (IS_END | IS_INVALID)) {
            if (entry & IS_INVALID) inflate_fail(z, "has an invalid code");
            is_end = true;
            break;
        }
        uint32_t extra = entry >> 8 & 0x1f;
        uint32_t length = (entry >> 16) + ((uint32_t)bits & ((UINT32_C(1) << extra) - 1));
        SKIP(extra);
        entry = z->distances[bits & distance_mask];
        if (entry & IS_TABLE) {
            uint64_t mask = (UINT64_C(1) << (entry >> 8 & 0x1f)) - 1;
            entry = z->distances[(entry >> 16) + (bits >> DISTANCE_BITS & mask)];
        }
        SKIP(entry & 0xff);
        extra = entry >> 8 & 0x1f;
        uint32_t distance = (entry >> 16) + ((uint32_t)bits & ((UINT32_C(1) << extra) - 1));
        SKIP(extra);
        if (entry & IS_INVALID || distance > (uint64_t)(out - z->start)) {
            inflate_fail(z, entry & IS_INVALID ? "has an invalid code"
                                               : "repeats bytes before its start");
            break;
        }
        inflate_copy(out, distance, length);
        out += length;
    }
#undef REFILL
#undef SKIP
    z->in = in;
    z->out = out;
    z->bits = bits;
    z->bit_count = count;
    return is_end;
}

static bool inflate_compressed_block(inflater *z)
{
    while (!z->fault) {
        if (inflate_fast(z)) break;
        if (z->fault) break;
        uint32_t entry = inflate_take_code(z, z->symbols, SYMBOL_BITS);
        if (z->fault || entry & IS_END) break;
        if (z->out == z->end) return inflate_fail(z, "is longer than stated");
        if (entry & IS_LITERAL) {
            *z->out++ = (uint8_t)(entry >> 16);
            continue;
        }
        uint32_t length = (entry >> 16) + inflate_take(z, entry >> 8 & 0x1f);
        entry = inflate_take_code(z, z->distances, DISTANCE_BITS);
        if (z->fault) break;
        uint32_t distance = (entry >> 16) + inflate_take(z, entry >> 8 & 0x1f);
        if (z->fault) break;
        if (distance > (uint64_t)(z->out - z->start))
            return inflate_fail(z, "repeats bytes before its start");
        if (length > (uint64_t)(z->end - z->out)) return inflate_fail(z, "is longer than stated");
        for (uint32_t i = 0; i < length; i++, z->out++) *z->out = *(z->out - distance);
    }
    return !z->fault;
}

// -- Streams

uint32_t tn_adler32(const uint8_t *data, uint64_t size)
{
    enum { PRIME = 65521, BLOCK = 5552 };  // The most bytes before a sum exceeds 32 bits.
    uint32_t a = 1, b = 0;
    while (size) {
        uint64_t now = size < BLOCK ? size : BLOCK;
        size -= now;
        for (; now >= 16; now -= 16, data += 16) {
            uint32_t sum = 0, weighted = 0;
            for (uint32_t i = 0; i < 16; i++) {
                sum += data[i];
                weighted += (16 - i) * data[i];
            }
            b += 16 * a + weighted;
            a += sum;
        }
        while (now--) b += a += *data++;
        a %= PRIME;
        b %= PRIME;
    }
    return b << 16 | a;
}

bool tn_inflate_can_fill(uint64_t size, uint64_t expanded)
{
    return expanded / 1032 <= size;
}

// The blocks, and the checksum after them.
static bool inflate_blocks(inflater *z)
{
    for (bool is_last = false; !is_last;) {
        is_last = inflate_take(z, 1);
        uint32_t kind = inflate_take(z, 2);
        if (z->fault) return false;
        if (kind == 3) return inflate_fail(z, "has a block of an unknown type");
        bool ok = kind == 0   ? inflate_stored_block(z)
                  : kind == 1 ? inflate_fixed_tables(z) && inflate_compressed_block(z)
                              : inflate_read_tables(z) && inflate_compressed_block(z);
        if (!ok) return false;
    }
    z->in -= z->bit_count / 8;
    z->bit_count = 0;
    if (z->out != z->end) return inflate_fail(z, "is shorter than stated");
    if (z->in_end - z->in < 4) return inflate_fail(z, "ends early");
    uint32_t stored = tn_load32(z->in, true);
    z->in += 4;
    if (stored != tn_adler32(z->start, (uint64_t)(z->end - z->start)))
        return inflate_fail(z, "has a wrong checksum");
    return true;
}

const char *tn_inflate(const uint8_t *src, uint64_t src_size, uint8_t *dst, uint64_t dst_size,
                       uint64_t *offset)
{
    inflater z;
    z.in = src;
    z.in_end = src + src_size;
    z.bits = z.bit_count = 0;
    z.start = z.out = dst;
    z.end = dst + dst_size;
    z.fault = NULL;
    bool has_header = src_size >= 2;
    // Method 8 with a window of at most 32 KiB, no dictionary, and a check of these bits.
    if (!has_header)
        inflate_fail(&z, "ends early");
    else if ((src[0] & 0xf) != 8 || src[0] >> 4 > 7 || src[1] & 0x20 ||
             (src[0] << 8 | src[1]) % 31 != 0)
        inflate_fail(&z, "has no zlib header");
    if (!z.fault) {
        z.in += 2;
        inflate_blocks(&z);
    }
    if (offset) *offset = (uint64_t)(z.in - src) - z.bit_count / 8;
    return z.fault;
}
