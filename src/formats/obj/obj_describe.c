// obj_describe.c: the OBJ file as one field, and how OBJ is recognized.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_parse.h"
#include "formats/obj/obj_format.h"

#include <inttypes.h>

#define PROBE_SIZE  ((uint64_t)64 << 10)  // Bytes that are examined.
#define PROBE_LINES 64                    // Statements that are examined.

// -- The document

static uint64_t obj_describe_infer_size(tn_io *io, const void *subject)
{
    uint64_t size = io->end - io->pos;
    (void)subject;
    if (size > UINT32_MAX)
        tn_fail(io, TENON_ERR_LIMIT, io->pos, "text",
                "'text' has %" PRIu64 " bytes, which is too large", size);
    return size;
}

void obj_describe(tn_io *io, void *any)
{
    tenon_obj *doc = any;
    tn_inferred_u32(io, "size", &doc->size, obj_describe_infer_size, doc);
    tn_borrowed_str(io, "text", &doc->text, doc->size);
}

bool obj_describe_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_obj *doc = any;
    (void)arena;
    (void)err;
    doc->size = doc->text.size;
    return true;
}

// -- Probing

static bool obj_describe_has_numbers(obj_text *text, uint32_t count)
{
    obj_word word;
    float number;
    for (uint32_t i = 0; i < count; i++)
        if (!obj_parse_next_word(text, &word) || obj_parse_number(&word, &number) == OBJ_NO_NUMBER)
            return false;
    return true;
}

// Returns 1 if the statement is evidence that the text is OBJ, -1 if it is evidence that it is not,
// and 0 if other texts have such lines too.
static int obj_describe_evidence(obj_text *text, const obj_word *key)
{
    obj_word word;
    switch (obj_parse_key_of(key)) {
    case OBJ_V:
    case OBJ_VN:
        return obj_describe_has_numbers(text, 3) ? 1 : -1;
    case OBJ_VT:
        return obj_describe_has_numbers(text, 1) ? 1 : -1;
    case OBJ_F:
    case OBJ_L:
    case OBJ_P:
        if (!obj_parse_next_word(text, &word)) return -1;
        return (word.text[0] >= '0' && word.text[0] <= '9') || word.text[0] == '-' ? 1 : -1;
    case OBJ_USEMTL:
    case OBJ_MTLLIB:
        return obj_parse_next_word(text, &word) ? 1 : -1;
    case OBJ_UNKNOWN:
        return -1;
    default:
        return 0;
    }
}

int obj_describe_probe(const uint8_t *data, uint64_t size)
{
    bool is_cut = size > PROBE_SIZE;
    size = is_cut ? PROBE_SIZE : obj_parse_text_size((const char *)data, size);
    // Text has no control characters except blanks and line breaks.
    for (uint64_t i = 0; i < size; i++)
        if (data[i] == 0x7F || (data[i] < ' ' && (data[i] < '\t' || data[i] > '\r'))) return 0;
    if (size == 0) return 0;
    obj_text text = obj_parse_text_begin((const char *)data, size);
    int for_it = 0, against = 0;
    obj_word key;
    do {
        if (!obj_parse_next_word(&text, &key)) continue;
        int evidence = obj_describe_evidence(&text, &key);
        for_it += evidence > 0;
        against += evidence < 0;
    } while (obj_parse_end_line(&text) && for_it + against < PROBE_LINES);
    // The last line may be incomplete.
    if (is_cut && against) against--;
    if (for_it + against == 0) {
        // Many exporters write a comment with words even if the file has nothing else.
        uint64_t i = 0;
        while (i < size && (data[i] == ' ' || (data[i] >= '\t' && data[i] <= '\r'))) i++;
        if (i == size || data[i] != '#') return 0;
        while (i < size && ((data[i] | 32) < 'a' || (data[i] | 32) > 'z')) i++;
        return i < size;
    }
    if (for_it <= 2 * against) return 0;
    return against ? 40 : for_it < 3 ? 60 : 80;
}
