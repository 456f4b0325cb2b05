// obj_parse.c: parses an OBJ file into vertices, faces and names.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/text/error.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROGRESS_STEP ((uint64_t)1 << 20)  // Bytes between two calls of the progress callback.
#define NUMBERS_MOST  7                    // Of a statement.

typedef struct obj_reader {
    obj_parser *parser;
    obj_model *model;
    obj_text text;
    obj_word key;  // Of the statement.
    uint32_t object, material, smoothing;
    uint32_t positions, uvs, normals;  // Parsed so far.
    uint32_t paint_end;                // Number of vertices before the last block of paint.
    uint32_t painted;                  // The next vertex to be painted.
    uint32_t parts[3];  // Current parts: points, lines, triangles. TENON_NONE if not created yet.
    obj_triples part_ids;  // Object, material and kind of each part.
} obj_reader;

// -- Triples
//
// A file can be constructed so that all hashes are equal. So the search ends after some steps, and
// an item that was not found is added again: this takes more memory, but not more time.

#define STEPS_MOST 128

// At least twice the number of items, and a power of two.
static uint64_t obj_slots_for(uint64_t room)
{
    uint64_t count = 4;
    while (count < 2 * room) count *= 2;
    return count;
}

static uint64_t obj_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

bool obj_triples_begin(obj_triples *triples, uint64_t room, tn_arena *arena)
{
    uint64_t slot_count = obj_slots_for(room);
    *triples =
        (obj_triples){.items = tn_arena_alloc(arena, room, sizeof *triples->items, NULL),
                      .room = room,
                      .slots = tn_arena_alloc(arena, slot_count, sizeof *triples->slots, NULL),
                      .slot_count = slot_count};
    return triples->items && triples->slots;
}

void obj_triples_clear(obj_triples *triples, uint64_t room)
{
    triples->count = 0;
    triples->slot_count = obj_slots_for(room);
    memset(triples->slots, 0, (size_t)triples->slot_count * sizeof *triples->slots);
}

uint32_t obj_triples_add(obj_triples *triples, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t hash = obj_mix(obj_mix((uint64_t)a << 32 | b) + c);
    uint32_t *slot = NULL;
    for (uint64_t i = 0; i < STEPS_MOST && i < triples->slot_count; i++) {
        slot = &triples->slots[(hash + i) & (triples->slot_count - 1)];
        if (*slot == 0) break;
        const uint32_t *known = triples->items[*slot - 1];
        if (known[0] == a && known[1] == b && known[2] == c) return *slot - 1;
    }
    if (triples->count == triples->room) return triples->count - 1;
    uint32_t *item = triples->items[triples->count++];
    item[0] = a, item[1] = b, item[2] = c;
    if (*slot == 0) *slot = triples->count;
    return triples->count - 1;
}

// -- Losses and faults

void obj_report_loss(obj_model *model, obj_loss loss, uint64_t line, uint64_t offset)
{
    obj_loss_tally *tally = &model->lost[loss];
    if (tally->count++ == 0) tally->line = line, tally->offset = offset;
}

// Report a loss at the current statement.
static void obj_lose(obj_reader *reader, obj_loss loss)
{
    obj_report_loss(reader->model, loss, reader->key.line, reader->key.offset);
}

TN_PRINTF(4, 5)
static bool obj_parse_fault(obj_reader *reader, obj_fault kind, const obj_word *at, const char *fmt,
                            ...)
{
    char message[160], key[32];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    tn_text_clean(reader->key.text, reader->key.size, key, sizeof key);
    if (reader->parser->on_fault &&
        !reader->parser->on_fault(reader->parser->user, kind, at, key, message))
        reader->parser->stopped = true;
    return false;
}

// Report a fault of a word: "'WORD' WHAT".
static bool obj_bad_word(obj_reader *reader, obj_fault kind, const obj_word *word, const char *what)
{
    tenon_str text = {word->text, word->size};
    return obj_parse_fault(reader, kind, word, "'%s' %s", tn_show(text, 48).text, what);
}

// -- Numbers

// All numbers of the statement, at least `least`. Returns how many were kept; 0 after a fault.
static uint32_t obj_parse_numbers(obj_reader *reader, uint32_t least, uint32_t most, float *out)
{
    obj_word word;
    float number;
    uint32_t count = obj_plain_numbers(&reader->text, least, most, out);
    bool has_more = false;
    if (count) return count;
    while (obj_next_word(&reader->text, &word)) {
        obj_number_result how = obj_parse_number(&word, &number);
        if (how == OBJ_NO_NUMBER)
            return obj_bad_word(reader, OBJ_FAULT_SYNTAX, &word, "is not a number");
        if (how != OBJ_NUMBER)
            return obj_bad_word(reader, OBJ_FAULT_NOT_FINITE, &word,
                                how == OBJ_TOO_LARGE ? "is too large for 32 bits"
                                                     : "is not a finite number");
        if (count < most)
            out[count++] = number;
        else
            has_more = true;
    }
    if (count < least)
        return obj_parse_fault(reader, OBJ_FAULT_SYNTAX, &reader->key,
                               "%u numbers, but it needs %u", (unsigned)count, (unsigned)least);
    if (has_more) obj_lose(reader, OBJ_LOST_NUMBERS);
    return count;
}

// The array is allocated for the first color: most files have none.
static void obj_set_vertex_color(obj_reader *reader, uint32_t vertex, const float *color)
{
    obj_model *model = reader->model;
    if (!model->colors) {
        uint64_t count = 3 * (uint64_t)model->position_count;
        model->colors = tn_arena_alloc(reader->parser->arena, count, sizeof *model->colors,
                                       &reader->parser->refusal);
        if (!model->colors) {
            reader->parser->stopped = true;
            return;
        }
        for (uint64_t i = 0; i < count; i++) model->colors[i] = NAN;
    }
    memcpy(model->colors + 3 * (size_t)vertex, color, 3 * sizeof *color);
}

// X, Y, Z; then a weight, or a color. An invalid statement counts as a vertex, because faces refer
// to vertices by number. It gets the position of the previous vertex, so that no face becomes huge.
static void obj_parse_position(obj_reader *reader, uint32_t vertex)
{
    float numbers[NUMBERS_MOST], *position = reader->model->positions + 3 * (size_t)vertex;
    uint32_t count = obj_parse_numbers(reader, 3, NUMBERS_MOST, numbers);
    if (count)
        memcpy(position, numbers, 3 * sizeof *numbers);
    else if (vertex > 0)
        memcpy(position, position - 3, 3 * sizeof *position);
    else
        memset(position, 0, 3 * sizeof *position);
    if (count == 4 && numbers[3] != 1) obj_lose(reader, OBJ_LOST_WEIGHT);
    if (count >= 6) obj_set_vertex_color(reader, vertex, numbers + 3);
    if (count == 5 || count == 7) obj_lose(reader, OBJ_LOST_NUMBERS);
}

// -- Paint
//
// ZBrush writes vertex colors as comments after the vertices: lines of "#MRGB " and eight
// hexadecimal digits for each vertex, of which the first two are a mask. A block of such lines is
// for the last vertices before it.

#define PAINT        "#MRGB "
#define PAINT_SIZE   6
#define PAINT_DIGITS 8  // For each vertex.

static bool obj_is_paint(const obj_text *text)
{
    return text->size - text->pos >= PAINT_SIZE &&
           memcmp(text->data + text->pos, PAINT, PAINT_SIZE) == 0;
}

// The color of the next vertex. Returns false if there is none.
static bool obj_next_paint(obj_text *text, float color[3])
{
    uint32_t value = 0;
    if (text->size - text->pos < PAINT_DIGITS) return false;
    for (uint32_t i = 0; i < PAINT_DIGITS; i++) {
        int digit = tn_hex_digit(text->data[text->pos + i]);
        if (digit < 0) return false;
        value = value << 4 | (uint32_t)digit;
    }
    for (int i = 0; i < 3; i++) color[i] = (float)(value >> (16 - 8 * i) & 255) / 255;
    text->pos += PAINT_DIGITS;
    return true;
}

static void obj_parse_paint(obj_reader *reader)
{
    uint32_t vertex_count = reader->positions;
    float color[3];
    if (reader->paint_end != vertex_count) {  // The first line of a block.
        obj_text text = reader->text;
        uint64_t count = 0;
        do {
            if (!obj_is_paint(&text)) break;
            text.pos += PAINT_SIZE;
            while (obj_next_paint(&text, color)) count++;
        } while (obj_end_line(&text));
        reader->painted = count < vertex_count ? vertex_count - (uint32_t)count : 0;
        reader->paint_end = vertex_count;
    }
    reader->text.pos += PAINT_SIZE;
    while (!reader->parser->stopped && reader->painted < vertex_count &&
           obj_next_paint(&reader->text, color))
        obj_set_vertex_color(reader, reader->painted++, color);
}

// -- Corners and elements

static bool obj_bad_corner(obj_reader *reader, const obj_word *word)
{
    return obj_bad_word(reader, OBJ_FAULT_SYNTAX, word, "is not a valid corner");
}

// The index at `*at` of a word; TENON_NONE if it is empty.
static bool obj_parse_index(obj_reader *reader, const obj_word *word, uint32_t *at, uint32_t so_far,
                            uint32_t count, const char *what, uint32_t *index)
{
    uint32_t start = *at, end = start, digits;
    uint64_t value = 0;
    bool is_huge = false;
    *index = TENON_NONE;
    while (end < word->size && word->text[end] != '/') end++;
    *at = end;
    if (start == end) return true;
    bool is_relative = word->text[start] == '-';
    for (digits = start + (is_relative || word->text[start] == '+'); digits < end; digits++) {
        char c = word->text[digits];
        if (c < '0' || c > '9') break;
        is_huge = is_huge || value > UINT32_MAX;
        if (!is_huge) value = 10 * value + (uint64_t)(c - '0');
    }
    char last = word->text[end - 1];
    if (digits < end || last == '-' || last == '+') return obj_bad_corner(reader, word);
    if (value == 0 || value > (is_relative ? so_far : count))
        return obj_parse_fault(
            reader, OBJ_FAULT_INDEX, word, "%s %s%" PRIu64 "%s, but there are %u%s", what,
            is_relative ? "-" : "", value, is_huge ? "..." : "",
            (unsigned)(is_relative ? so_far : count), is_relative ? " up to here" : "");
    *index = is_relative ? so_far - (uint32_t)value : (uint32_t)value - 1;
    return true;
}

// "7", "7/7", "7//7" or "7/7/7"; also "7/" and "7//", which some programs write.
static bool obj_parse_corner(obj_reader *reader, const obj_word *word, obj_corner *corner)
{
    static const char *const what[] = {"vertex", "texture coordinate", "normal"};
    const obj_model *model = reader->model;
    // Some programs write indices of normals, but no normals: then any index is accepted.
    bool has_normals = model->normal_count > 0;
    const uint32_t so_far[] = {reader->positions, reader->uvs,
                               has_normals ? reader->normals : UINT32_MAX};
    const uint32_t counts[] = {model->position_count, model->uv_count,
                               has_normals ? model->normal_count : UINT32_MAX};
    uint32_t at = 0, indices[] = {TENON_NONE, TENON_NONE, TENON_NONE};
    for (int i = 0; i < 3 && (i == 0 || at < word->size); i++) {
        at += i > 0;  // The slash.
        if (!obj_parse_index(reader, word, &at, so_far[i], counts[i], what[i], &indices[i]))
            return false;
        if (indices[0] == TENON_NONE) return obj_bad_corner(reader, word);
    }
    if (!has_normals && indices[2] != TENON_NONE) {
        indices[2] = TENON_NONE;
        obj_lose(reader, OBJ_LOST_NORMALS);
    }
    *corner = (obj_corner){indices[0], indices[1], indices[2]};
    return at == word->size || obj_bad_corner(reader, word);
}

// The part of the current object and material. `kind` is an index into `parts`.
static uint32_t obj_current_part(obj_reader *reader, uint32_t kind)
{
    static const tenon_mode modes[] = {TENON_POINTS, TENON_LINES, TENON_TRIANGLES};
    obj_model *model = reader->model;
    if (reader->parts[kind] != TENON_NONE) return reader->parts[kind];
    if (reader->object == TENON_NONE) {  // No object was named yet.
        if (model->unnamed == TENON_NONE)
            model->unnamed = tn_name_list_add(&model->objects, (tenon_str){"", 0});
        reader->object = model->unnamed;
    }
    uint32_t part = obj_triples_add(&reader->part_ids, reader->object, reader->material, kind);
    reader->parts[kind] = part;
    if (part == model->part_count)
        model->parts[model->part_count++] =
            (obj_part){.object = reader->object, .material = reader->material, .mode = modes[kind]};
    return part;
}

static void obj_parse_element(obj_reader *reader, obj_key key)
{
    obj_model *model = reader->model;
    const obj_parser *parser = reader->parser;
    uint32_t kind = key == OBJ_P ? 0 : key == OBJ_L ? 1 : 2, first = model->corner_count;
    obj_word word;
    if (model->element_count == model->element_room) return;
    obj_plain_corners(&reader->text, model);
    while (model->corner_count < model->corner_room && obj_next_word(&reader->text, &word))
        if (!obj_parse_corner(reader, &word, &model->corners[model->corner_count++])) {
            model->corner_count = first;
            return;
        }
    uint32_t count = model->corner_count - first;
    if (count < kind + 1) {
        obj_lose(reader, OBJ_LOST_SHORT);
        model->corner_count = first;
        return;
    }
    obj_element *element = &model->elements[model->element_count++];
    *element = (obj_element){.first = first,
                             .count = count,
                             .part = obj_current_part(reader, kind),
                             .smoothing = reader->smoothing,
                             .line = (uint32_t)reader->key.line,
                             .offset = (uint32_t)reader->key.offset};
    obj_corner *corners = model->corners + first;
    uint32_t with_uv = 0, with_normal = 0;
    for (uint32_t i = 0; i < count; i++) {
        // Lines have no normals, and points only positions, even if the file has more.
        if (kind < 2) corners[i].vn = TENON_NONE;
        if (kind < 1) corners[i].vt = TENON_NONE;
        with_uv += corners[i].vt != TENON_NONE;
        with_normal += corners[i].vn != TENON_NONE;
    }
    obj_part *part = &model->parts[element->part];
    uint64_t n = count;
    part->element_count++;
    part->corner_count += count;
    part->index_count += kind == 2 ? 3 * (n - 2) : kind == 1 ? 2 * (n - 1) : n;
    part->is_smoothed = part->is_smoothed || element->smoothing != OBJ_NOT_SMOOTHED;
    part->with_uv += with_uv;
    part->with_normal += with_normal;
    if (!parser->on_element || parser->on_element(parser->user, model, element)) return;
    model->element_count--;
    model->corner_count = first;
}

static bool obj_parse_remainder(obj_reader *reader, tenon_str *rest)
{
    if (obj_remainder(&reader->text, reader->parser->arena, rest)) return true;
    reader->parser->refusal = TN_OUT_OF_MEMORY;
    reader->parser->stopped = true;
    return false;
}

static void obj_clear_parts(obj_reader *reader)
{
    for (int i = 0; i < 3; i++) reader->parts[i] = TENON_NONE;
}

// -- The text

static void obj_parse_statement(obj_reader *reader, obj_key key)
{
    obj_model *model = reader->model;
    float numbers[3] = {0, 0, 0}, *normal;
    obj_word word;
    uint64_t value;
    uint32_t count;
    tenon_str name;
    switch (key) {
    case OBJ_V:
        if (reader->positions < model->position_count)
            obj_parse_position(reader, reader->positions++);
        break;
    case OBJ_VT:
        if (reader->uvs == model->uv_count) break;
        count = obj_parse_numbers(reader, 1, 3, numbers);
        if (!count) memset(numbers, 0, sizeof numbers);
        memcpy(model->uvs + 2 * (size_t)reader->uvs++, numbers, 2 * sizeof *numbers);
        if (count == 3 && numbers[2] != 0) obj_lose(reader, OBJ_LOST_DEPTH);
        break;
    case OBJ_VN:
        if (reader->normals == model->normal_count) break;
        normal = model->normals + 3 * (size_t)reader->normals++;
        if (!obj_parse_numbers(reader, 3, 3, normal)) memset(normal, 0, 3 * sizeof *normal);
        break;
    case OBJ_F:
    case OBJ_L:
    case OBJ_P:
        obj_parse_element(reader, key);
        break;
    case OBJ_O:
    case OBJ_G:
        if (model->has_objects && key == OBJ_G) {
            obj_lose(reader, OBJ_LOST_GROUPS);
            break;
        }
        if (!obj_parse_remainder(reader, &name)) break;
        if (name.size == 0 && key == OBJ_G) name = (tenon_str){"default", 7};
        reader->object = tn_name_list_add(&model->objects, name);
        obj_clear_parts(reader);
        break;
    case OBJ_S:
        // "off", or a number.
        if (!obj_next_word(&reader->text, &word) || obj_is(&word, "off")) {
            reader->smoothing = 0;
            break;
        }
        value = 0;
        for (uint32_t i = 0; i < word.size; i++) {
            if (word.text[i] < '0' || word.text[i] > '9' || value >= OBJ_NOT_SMOOTHED / 10) {
                obj_bad_word(reader, OBJ_FAULT_SYNTAX, &word, "is not a smoothing group");
                return;
            }
            value = 10 * value + (uint64_t)(word.text[i] - '0');
        }
        reader->smoothing = (uint32_t)value;
        break;
    case OBJ_USEMTL:
        if (!obj_parse_remainder(reader, &name)) break;
        reader->material = name.size ? tn_name_list_add(&model->materials, name) : TENON_NONE;
        obj_clear_parts(reader);
        break;
    case OBJ_MTLLIB:
        if (obj_parse_remainder(reader, &name) && name.size)
            tn_name_list_add(&model->libraries, name);
        break;
    default:
        obj_lose(reader, (obj_loss)(OBJ_LOST_FREE_FORM + (key - OBJ_FREE_FORM)));
    }
}

static void *obj_parser_alloc(obj_reader *reader, uint64_t count, size_t size)
{
    obj_parser *parser = reader->parser;
    void *memory =
        parser->stopped ? NULL : tn_arena_alloc(parser->arena, count, size, &parser->refusal);
    if (!memory) parser->stopped = true;
    return memory;
}

// The first pass: count the statements with each key and the corners of all elements.
static bool obj_parse_allocate_model(obj_reader *reader)
{
    obj_model *model = reader->model;
    obj_text text = reader->text;
    obj_word word;
    obj_key key;
    uint64_t n[OBJ_UNKNOWN + 1] = {0}, corners = 0;
    do {
        if (!obj_next_key(&text, &word, &key)) continue;
        n[key]++;
        if (key != OBJ_F && key != OBJ_L && key != OBJ_P) continue;
        uint64_t words = obj_plain_words(&text);
        corners += words != TENON_ABSENT ? words : obj_count_words(&text);
    } while (obj_end_line(&text));
    uint64_t elements = n[OBJ_F] + n[OBJ_L] + n[OBJ_P];
    model->has_objects = n[OBJ_O] > 0;
    // A new part can begin after each of these statements, and before the first.
    uint64_t objects = model->has_objects ? n[OBJ_O] : n[OBJ_G];
    uint64_t parts = 3 * (objects + n[OBJ_USEMTL] + 1);
    if (parts > elements) parts = elements;
    model->position_count = (uint32_t)n[OBJ_V];
    model->uv_count = (uint32_t)n[OBJ_VT];
    model->normal_count = (uint32_t)n[OBJ_VN];
    model->positions = obj_parser_alloc(reader, n[OBJ_V], 3 * sizeof *model->positions);
    model->uvs = obj_parser_alloc(reader, n[OBJ_VT], 2 * sizeof *model->uvs);
    model->normals = obj_parser_alloc(reader, n[OBJ_VN], 3 * sizeof *model->normals);
    model->element_room = elements;
    model->corner_room = corners;
    model->elements = obj_parser_alloc(reader, elements, sizeof *model->elements);
    model->corners = obj_parser_alloc(reader, corners, sizeof *model->corners);
    model->parts = obj_parser_alloc(reader, parts, sizeof *model->parts);
    tn_arena *arena = reader->parser->arena;
    if (!reader->parser->stopped &&
        tn_name_list_begin(&model->objects, (uint32_t)objects + 1, arena, "names", NULL) &&
        tn_name_list_begin(&model->materials, (uint32_t)n[OBJ_USEMTL], arena, "names", NULL) &&
        tn_name_list_begin(&model->libraries, (uint32_t)n[OBJ_MTLLIB], arena, "names", NULL) &&
        obj_triples_begin(&reader->part_ids, parts, arena))
        return true;
    if (!reader->parser->refusal) reader->parser->refusal = TN_OUT_OF_MEMORY;
    return false;
}

bool obj_parse(obj_parser *parser, tenon_str text, obj_model *model)
{
    *model = (obj_model){.unnamed = TENON_NONE};
    obj_reader reader = {.parser = parser,
                         .model = model,
                         .text = obj_text_begin(text.data, text.size),
                         .object = TENON_NONE,
                         .material = TENON_NONE,
                         .smoothing = OBJ_NOT_SMOOTHED};
    obj_clear_parts(&reader);
    if (!obj_parse_allocate_model(&reader)) return false;
    const tenon_events *events = &parser->events;
    uint64_t next_progress = events->on_progress ? 0 : UINT64_MAX;
    obj_key key;
    do {
        if (obj_is_paint(&reader.text))
            obj_parse_paint(&reader);
        else if (obj_next_key(&reader.text, &reader.key, &key))
            obj_parse_statement(&reader, key);
        if (!obj_end_line(&reader.text)) break;
        if (reader.text.pos < next_progress) continue;
        next_progress = reader.text.pos + PROGRESS_STEP;
        parser->cancelled = !events->on_progress(events->user, reader.text.pos, reader.text.size);
    } while (!parser->stopped && !parser->cancelled);
    return !parser->stopped && !parser->cancelled && parser->refusal == TN_GRANTED;
}
