// deflate.c: compress into zlib streams (RFC 1950 and 1951), always to the same bytes.
// SPDX-License-Identifier: MIT
//
// Data is cut into tokens: literals, and matches with earlier data, found in chains of places with
// the same three bytes. Every block of tokens has codes of its own.

#include "core/compress/deflate.h"

#include "core/compress/inflate.h"
#include "core/math/sort.h"
#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "core/text/error.h"

#include <string.h>

enum {
    WINDOW = 32768,  // The farthest that a match may be away.
    MIN_MATCH = 3,
    MAX_MATCH = 258,
    GOOD_MATCH = 128,  // Long enough to end the search.
    CHAIN_MOST = 32,   // Places that are looked at for one match.
    NEAR = 4096,       // Three bytes farther away are shorter as literals.
    HASH_BITS = 15,
    TOKENS_MOST = 32768,  // Of a block.
    SYMBOLS = 286,        // Literals, the end of the block, lengths.
    DISTANCES = 30,
    LENGTH_CODES = 19,  // Of the lengths of codes.
    END_OF_BLOCK = 256,
    MAX_LENGTH = 15,        // Bits of a code,
    MAX_HEADER_LENGTH = 7,  // and of one for lengths of codes.
    OUTPUT_SIZE = 4096,
    NOWHERE = -1,
};

// The base and the number of extra bits of each code for a length or a distance.
static const uint16_t length_bases[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                        15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                        67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_bases[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_bits[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                        6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

// A literal has the length 0.
typedef struct token {
    uint16_t length, distance;
    uint8_t literal;
} token;

typedef struct deflate_code {
    uint16_t bits;  // The first one lowest.
    uint8_t length;
} deflate_code;

typedef struct deflater {
    const uint8_t *data;
    uint64_t size;
    tenon_write_fn *write;
    void *user;
    bool failed;
    uint64_t bits;  // That are not yet a byte.
    uint32_t bit_count;
    uint32_t output_size;
    uint8_t output[OUTPUT_SIZE];
    uint64_t base;                  // Positions in the lists below are relative to it.
    int32_t heads[1 << HASH_BITS];  // The newest place with this hash; NOWHERE: none.
    int32_t previous[WINDOW];       // The place before, by the low bits of the place.
    token tokens[TOKENS_MOST];
    uint32_t token_count;
    uint32_t symbol_counts[SYMBOLS], distance_counts[DISTANCES];
    deflate_code symbols[SYMBOLS], distances[DISTANCES];
    uint8_t length_code[MAX_MATCH + 1];  // The number of the code for each length.
} deflater;

// -- Bits

static void deflate_flush(deflater *z)
{
    if (!z->failed && z->output_size > 0) z->failed = !z->write(z->user, z->output, z->output_size);
    z->output_size = 0;
}

static void deflate_put_byte(deflater *z, uint8_t byte)
{
    if (z->output_size == OUTPUT_SIZE) deflate_flush(z);
    z->output[z->output_size++] = byte;
}

static void deflate_put(deflater *z, uint32_t value, uint32_t count)
{
    z->bits |= (uint64_t)value << z->bit_count;
    z->bit_count += count;
    for (; z->bit_count >= 8; z->bit_count -= 8, z->bits >>= 8)
        deflate_put_byte(z, (uint8_t)z->bits);
}

static void deflate_put_code(deflater *z, const deflate_code *codes, uint32_t symbol)
{
    deflate_put(z, codes[symbol].bits, codes[symbol].length);
}

// -- Codes

static bool deflate_is_rarer(const void *counts, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)counts)[a] < ((const uint32_t *)counts)[b];
}

// How many codes there are of each length, for symbols sorted by their counts: the tree of Huffman,
// with the lengths beyond `most` taken back.
static void deflate_find_lengths(const uint32_t *counts, const uint32_t *sorted, uint32_t count,
                                 uint32_t most, uint32_t by_length[SYMBOLS])
{
    // Nodes of the tree: the symbols, and the pairs in the order in which they are made, which is
    // that of their counts.
    uint64_t weights[SYMBOLS];
    uint32_t parents[2 * SYMBOLS], depths[2 * SYMBOLS];
    uint32_t leaf = 0, pair = 0, pair_count = count - 1;
    for (uint32_t i = 0; i < pair_count; i++) {
        weights[i] = 0;
        for (uint32_t k = 0; k < 2; k++) {
            bool is_leaf = leaf < count && (pair >= i || counts[sorted[leaf]] <= weights[pair]);
            uint32_t node = is_leaf ? leaf : count + pair;
            weights[i] += is_leaf ? counts[sorted[leaf]] : weights[pair];
            parents[node] = count + i;
            if (is_leaf)
                leaf++;
            else
                pair++;
        }
    }
    memset(by_length, 0, SYMBOLS * sizeof *by_length);
    depths[count + pair_count - 1] = 0;
    for (uint32_t i = count + pair_count - 1; i-- > 0;) {
        depths[i] = depths[parents[i]] + 1;
        if (i < count) by_length[depths[i] < most ? depths[i] : most]++;
    }
    // Codes that were shortened take more than there is: longer codes for others make room.
    uint64_t taken = 0;
    for (uint32_t i = 1; i <= most; i++) taken += (uint64_t)by_length[i] << (most - i);
    for (; taken > (uint64_t)1 << most; taken--) {
        uint32_t i = most - 1;
        while (by_length[i] == 0) i--;
        by_length[most]--;
        by_length[i]--;
        by_length[i + 1] += 2;
    }
}

// Give codes of at most `most` bits to the symbols that occur.
static void deflate_make_codes(const uint32_t *counts, uint32_t symbol_count, uint32_t most,
                               deflate_code *codes)
{
    uint32_t sorted[SYMBOLS], spare[SYMBOLS], by_length[SYMBOLS] = {0}, next[MAX_LENGTH + 2];
    uint32_t count = 0;
    memset(codes, 0, symbol_count * sizeof *codes);
    for (uint32_t i = 0; i < symbol_count; i++)
        if (counts[i] > 0) sorted[count++] = i;
    if (count == 0) return;
    tn_sort(sorted, spare, count, deflate_is_rarer, counts);
    if (count == 1)
        by_length[1] = 1;
    else
        deflate_find_lengths(counts, sorted, count, most, by_length);
    // The rarest symbols get the longest codes.
    for (uint32_t length = most, i = 0; length > 0; length--)
        for (uint32_t k = 0; k < by_length[length]; k++)
            codes[sorted[i++]].length = (uint8_t)length;
    next[1] = 0;
    for (uint32_t length = 1; length <= most; length++)
        next[length + 1] = (next[length] + by_length[length]) << 1;
    for (uint32_t i = 0; i < symbol_count; i++) {
        uint32_t value = codes[i].length ? next[codes[i].length]++ : 0;
        for (uint32_t k = 0; k < codes[i].length; k++)
            codes[i].bits |= (uint16_t)((value >> k & 1) << (codes[i].length - 1 - k));
    }
}

// -- Blocks

// There are two codes for each number of extra bits.
static uint32_t deflate_distance_code(uint32_t distance)
{
    uint32_t bits = 0, from_0 = distance - 1;
    if (from_0 < 2) return from_0;
    while (from_0 >> bits > 3) bits++;
    return 2 * bits + (from_0 >> bits);
}

// The lengths of the codes as symbols of their own: 16 repeats the previous one 3 to 6 times, 17
// and 18 are 3 to 10 and 11 to 138 zeros. Returns how many; `extras` are the repetitions.
static uint32_t deflate_pack_lengths(const uint8_t *lengths, uint32_t count, uint8_t *packed,
                                     uint8_t *extras)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t run = 1;
        while (i + run < count && lengths[i + run] == lengths[i]) run++;
        uint32_t used = 1;
        packed[size] = lengths[i];
        extras[size] = 0;
        if (lengths[i] == 0 && run >= 3) {
            used = run > 138 ? 138 : run;
            packed[size] = used >= 11 ? 18 : 17;
            extras[size] = (uint8_t)(used >= 11 ? used - 11 : used - 3);
        } else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3) {
            used = run > 6 ? 6 : run;
            packed[size] = 16;
            extras[size] = (uint8_t)(used - 3);
        }
        size++;
        i += used;
    }
    return size;
}

static void deflate_put_header(deflater *z)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t extra_bits[LENGTH_CODES] = {[16] = 2, [17] = 3, [18] = 7};
    uint8_t lengths[SYMBOLS + DISTANCES], packed[SYMBOLS + DISTANCES], extras[SYMBOLS + DISTANCES];
    uint32_t counts[LENGTH_CODES] = {0}, symbols = SYMBOLS, distances = DISTANCES;
    deflate_code codes[LENGTH_CODES];
    while (z->symbols[symbols - 1].length == 0) symbols--;
    while (distances > 1 && z->distances[distances - 1].length == 0) distances--;
    for (uint32_t i = 0; i < symbols; i++) lengths[i] = z->symbols[i].length;
    for (uint32_t i = 0; i < distances; i++) lengths[symbols + i] = z->distances[i].length;
    uint32_t size = deflate_pack_lengths(lengths, symbols + distances, packed, extras);
    for (uint32_t i = 0; i < size; i++) counts[packed[i]]++;
    deflate_make_codes(counts, LENGTH_CODES, MAX_HEADER_LENGTH, codes);
    uint32_t length_codes = LENGTH_CODES;
    while (length_codes > 4 && codes[order[length_codes - 1]].length == 0) length_codes--;
    deflate_put(z, symbols - 257, 5);
    deflate_put(z, distances - 1, 5);
    deflate_put(z, length_codes - 4, 4);
    for (uint32_t i = 0; i < length_codes; i++) deflate_put(z, codes[order[i]].length, 3);
    for (uint32_t i = 0; i < size; i++) {
        deflate_put_code(z, codes, packed[i]);
        deflate_put(z, extras[i], extra_bits[packed[i]]);
    }
}

static void deflate_put_block(deflater *z, bool is_last)
{
    z->symbol_counts[END_OF_BLOCK] = 1;
    deflate_make_codes(z->symbol_counts, SYMBOLS, MAX_LENGTH, z->symbols);
    deflate_make_codes(z->distance_counts, DISTANCES, MAX_LENGTH, z->distances);
    deflate_put(z, is_last, 1);
    deflate_put(z, 2, 2);
    deflate_put_header(z);
    for (uint32_t i = 0; i < z->token_count; i++) {
        const token *t = &z->tokens[i];
        if (t->length == 0) {
            deflate_put_code(z, z->symbols, t->literal);
            continue;
        }
        uint32_t length = z->length_code[t->length], distance = deflate_distance_code(t->distance);
        deflate_put_code(z, z->symbols, END_OF_BLOCK + 1 + length);
        deflate_put(z, t->length - (uint32_t)length_bases[length], length_bits[length]);
        deflate_put_code(z, z->distances, distance);
        deflate_put(z, t->distance - (uint32_t)distance_bases[distance], distance_bits[distance]);
    }
    deflate_put_code(z, z->symbols, END_OF_BLOCK);
    z->token_count = 0;
    memset(z->symbol_counts, 0, sizeof z->symbol_counts);
    memset(z->distance_counts, 0, sizeof z->distance_counts);
}

static void deflate_add_token(deflater *z, token t)
{
    if (z->token_count == TOKENS_MOST) deflate_put_block(z, false);
    z->tokens[z->token_count++] = t;
    if (t.length == 0) {
        z->symbol_counts[t.literal]++;
    } else {
        z->symbol_counts[END_OF_BLOCK + 1 + z->length_code[t.length]]++;
        z->distance_counts[deflate_distance_code(t.distance)]++;
    }
}

// -- Matches

static uint32_t deflate_hash(uint32_t bytes)
{
    return bytes * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

// Remember the place `at`, which has three bytes.
static int32_t deflate_enter(deflater *z, uint64_t at)
{
    const uint8_t *p = z->data + at;
    uint32_t bytes = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    uint32_t hash = deflate_hash(bytes);
    int32_t place = (int32_t)(at - z->base), newest = z->heads[hash];
    z->previous[at % WINDOW] = newest;
    z->heads[hash] = place;
    return newest;
}

// The same for all places before `end` that have three bytes. In a run, all bytes before `end` are
// like those of the place before, which is the newest.
static void deflate_enter_all(deflater *z, uint64_t at, uint64_t end, bool is_run)
{
    const uint8_t *p = z->data + at;
    if (is_run && end - at >= MIN_MATCH) {
        int32_t before = (int32_t)(at - z->base) - 1;
        for (; at <= end - MIN_MATCH; at++) z->previous[at % WINDOW] = before++;
        z->heads[deflate_hash(p[0] | (uint32_t)p[0] << 8 | (uint32_t)p[0] << 16)] = before;
        p = z->data + at;
    }
    if (z->size - end < MIN_MATCH - 1) end = z->size < MIN_MATCH ? 0 : z->size - MIN_MATCH + 1;
    if (at >= end) return;
    uint32_t bytes = (uint32_t)p[0] << 8 | (uint32_t)p[1] << 16;
    int32_t place = (int32_t)(at - z->base);
    for (; at < end; at++, p++, place++) {
        bytes = bytes >> 8 | (uint32_t)p[2] << 16;
        int32_t *head = &z->heads[deflate_hash(bytes)];
        z->previous[at % WINDOW] = *head;
        *head = place;
    }
}

// The longest match of what is at `at` with one of the places from `place` on; the nearest of
// several.
static token deflate_find_match(const deflater *z, uint64_t at, int32_t place)
{
    const uint8_t *p = z->data + at, *base = z->data + z->base;
    uint64_t left = z->size - at;
    uint32_t most = left < MAX_MATCH ? (uint32_t)left : MAX_MATCH, last = 0;
    int32_t here = (int32_t)(at - z->base);
    token best = {0, 0, p[0]};
    // Places before the window, or before all of them, as NOWHERE is.
    int32_t least = here > WINDOW ? here - WINDOW : 0;
    uint32_t base_in_window = (uint32_t)(z->base % WINDOW);
    for (uint32_t i = 0; i < CHAIN_MOST && place >= least; i++) {
        const uint8_t *q = base + place;
        // Longer matches have the same bytes at the end of the best one.
        if (memcmp(q + last, p + last, 2) == 0) {
            uint32_t length = 0;
            while (most - length >= 8 && memcmp(q + length, p + length, 8) == 0) length += 8;
            if (most - length >= 4 && memcmp(q + length, p + length, 4) == 0) length += 4;
            if (most - length >= 2 && memcmp(q + length, p + length, 2) == 0) length += 2;
            while (length < most && q[length] == p[length]) length++;
            if (length == MIN_MATCH && here - place > NEAR) length = 0;
            if (length >= MIN_MATCH && length > best.length) {
                best.length = (uint16_t)length;
                best.distance = (uint16_t)(here - place);
                last = length - 1;
                if (length >= GOOD_MATCH || length == most) break;
            }
        }
        int32_t before = z->previous[(base_in_window + (uint32_t)place) % WINDOW];
        if (before >= place) break;  // That entry belongs to a newer place.
        place = before;
    }
    return best;
}

// Positions become too large for the lists every 1 GiB, so that the search starts again.
static void deflate_forget(deflater *z, uint64_t at)
{
    z->base = at;
    for (uint32_t i = 0; i < 1 << HASH_BITS; i++) z->heads[i] = NOWHERE;
}

// A match is used only if the next byte does not begin a longer one. None is left at the end, where
// three bytes are needed to find one.
static void deflate_data(deflater *z, tenon_budget *budget)
{
    token waiting = {0};
    for (uint64_t at = 0; at < z->size && !z->failed;) {
        if (at - z->base >= (uint64_t)1 << 30) deflate_forget(z, at);
        token found = {0, 0, z->data[at]};
        if (z->size - at >= MIN_MATCH) found = deflate_find_match(z, at, deflate_enter(z, at));
        if (waiting.length > 0 && waiting.length >= found.length) {
            deflate_add_token(z, waiting);
            uint64_t end = at - 1 + waiting.length;
            deflate_enter_all(z, at + 1, end, waiting.distance == 1);
            at = end;
            waiting = (token){0};
            if (!tn_budget_work(budget, 1)) z->failed = true;
            continue;
        }
        if (waiting.length > 0) deflate_add_token(z, (token){0, 0, waiting.literal});
        waiting = found;
        if (found.length == 0) deflate_add_token(z, found);
        if ((at & 15) == 0 && !tn_budget_work(budget, 4)) z->failed = true;
        at++;
    }
}

bool tn_deflate(const uint8_t *data, uint64_t size, const tenon_allocator *allocator,
                tenon_write_fn *write, void *user, tenon_error *err)
{
    deflater *z = tn_block_alloc(allocator, sizeof *z);
    if (!z) {
        (void)tn_error(err, TENON_ERR_MEMORY, "out of memory for compressing");
        return tn_budget_settle(allocator->budget, false, err);
    }
    memset(z, 0, sizeof *z);
    z->data = data;
    z->size = size;
    z->write = write;
    z->user = user;
    deflate_forget(z, 0);
    for (uint32_t i = 0, length = MIN_MATCH; length <= MAX_MATCH; length++) {
        if (i + 1 < sizeof length_bits && length_bases[i + 1] <= length) i++;
        z->length_code[length] = (uint8_t)i;
    }
    deflate_put(z, 0x78, 8);
    deflate_put(z, 0x9c, 8);
    deflate_data(z, allocator->budget);
    deflate_put_block(z, true);
    if (z->bit_count > 0) deflate_put(z, 0, 8 - z->bit_count);
    uint32_t sum = tn_adler32(data, size);
    for (uint32_t i = 0; i < 4; i++) deflate_put(z, sum >> (24 - 8 * i) & 255, 8);
    deflate_flush(z);
    bool ok = !z->failed;
    tn_block_free(allocator, z, sizeof *z);
    if (!ok) (void)tn_error(err, TENON_ERR_CANCELLED, "writing was stopped");
    return tn_budget_settle(allocator->budget, ok, err);
}
