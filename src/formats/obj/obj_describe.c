// obj_describe.c: the OBJ file as one field, and how OBJ is recognized.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include <inttypes.h>

#define PROBE_SIZE  ((uint64_t)64 << 10)  // Bytes that are examined.
#define PROBE_LINES 64                    // Statements that are examined.

// -- The document

static uint64_t obj_infer_size(tn_io *io, const void *subject)
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
    tn_inferred_u32(io, "size", &doc->size, obj_infer_size, doc);
    tn_borrowed_str(io, "text", &doc->text, doc->size);
}

bool obj_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_obj *doc = any;
    (void)arena;
    (void)err;
    doc->size = doc->text.size;
    return true;
}

// -- Probing

// Returns 1 if the statement is evidence that the text is OBJ, -1 if it is evidence that it is not,
// and 0 if other texts have such lines too.
static int obj_evidence(obj_text *text, const obj_word *word)
{
    obj_key key = obj_key_of(word);
    obj_word next;
    float number;
    uint32_t number_count = key == OBJ_V || key == OBJ_VN ? 3 : key == OBJ_VT ? 1 : 0;
    for (uint32_t i = 0; i < number_count; i++)
        if (!obj_next_word(text, &next) || obj_parse_number(&next, &number) == OBJ_NO_NUMBER)
            return -1;
    if (number_count) return 1;
    if (key == OBJ_UNKNOWN) return -1;
    bool is_element = key == OBJ_F || key == OBJ_L || key == OBJ_P;
    if (!is_element && key != OBJ_USEMTL && key != OBJ_MTLLIB) return 0;
    if (!obj_next_word(text, &next)) return -1;
    bool is_index = (next.text[0] >= '0' && next.text[0] <= '9') || next.text[0] == '-';
    return is_element && !is_index ? -1 : 1;
}

int obj_probe(const uint8_t *data, uint64_t size)
{
    bool is_cut = size > PROBE_SIZE;
    size = is_cut ? PROBE_SIZE : obj_text_size((const char *)data, size);
    // Text has no control characters except blanks and line breaks.
    for (uint64_t i = 0; i < size; i++)
        if (data[i] == 0x7F || (data[i] < ' ' && (data[i] < '\t' || data[i] > '\r'))) return 0;
    if (size == 0) return 0;
    obj_text text = obj_text_begin((const char *)data, size);
    int for_it = 0, against = 0;
    obj_word key;
    do {
        if (!obj_next_word(&text, &key)) continue;
        int evidence = obj_evidence(&text, &key);
        for_it += evidence > 0;
        against += evidence < 0;
    } while (obj_end_line(&text) && for_it + against < PROBE_LINES);
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
