// map_print.c: the lines of a map, for people and for programs.
// SPDX-License-Identifier: MIT

#include "commands/map_print.h"

#include "report/clean.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#define VALUE_SIZE   2048
#define NUMBER_SIZE  32
#define TYPE_COLUMNS 8
#define VALUE_LEAST  12  // Columns that a value always has,
#define PATH_LEAST   8   // and a path,
#define PATH_USUAL   27  // and those it has if there is room.
#define GAP          2   // Between path and value.
#define ELLIPSIS     "\xE2\x80\xA6"

static bool map_print_is_text(tenon_type type)
{
    return type == TENON_TYPE_STR || type == TENON_TYPE_STR32 || type == TENON_TYPE_STRZ;
}

// -- Values for people

// A value as text. What does not fit is left out, since no line is that long.
typedef struct value_text {
    char text[VALUE_SIZE];
    size_t used;
} value_text;

static void map_print_add_text(value_text *value, const char *text)
{
    int size = snprintf(value->text + value->used, sizeof value->text - value->used, "%s", text);
    value->used += size > 0 ? (size_t)size : 0;
    if (value->used >= sizeof value->text) value->used = sizeof value->text - 1;
}

static void map_print_format_value(value_text *value, const tenon_part *part)
{
    static const char *const marks[] = {[TENON_PART_FIELD] = "",
                                        [TENON_PART_INFERRED] = "inferred: ",
                                        [TENON_PART_KEPT] = "kept: ",
                                        [TENON_PART_REMAINDER] = "unread: "};
    char text[VALUE_SIZE - 8];
    *value = (value_text){.text = ""};
    map_print_add_text(value, marks[part->kind]);
    if (part->layout) {
        int size = snprintf(text, sizeof text, "%" PRIu64 " record%s", part->count,
                            part->count == 1 ? "" : "s");
        if (!part->layout->tail)
            (void)snprintf(text + size, sizeof text - (size_t)size, " of %" PRIu64 " bytes",
                           part->layout->stride);
        map_print_add_text(value, text);
    } else if (map_print_is_text(part->type)) {
        clean_text(part->text.data, part->text.size, text, sizeof text, NULL);
        map_print_add_text(value, "\"");
        map_print_add_text(value, text);
        map_print_add_text(value, "\"");
    } else if (part->type == TENON_TYPE_BYTES) {
        uint64_t shown = part->size < MAP_INLINE_MAX ? part->size : MAP_INLINE_MAX;
        for (uint64_t i = 0; i < shown; i++) {
            (void)snprintf(text, sizeof text, i ? " %02x" : "%02x", part->bytes[i]);
            map_print_add_text(value, text);
        }
        if (shown < part->size) map_print_add_text(value, " " ELLIPSIS);
    } else {
        for (uint64_t i = 0; i < part->count && value->used + NUMBER_SIZE < VALUE_SIZE; i++) {
            tenon_number_text(part->type, part->bytes, part->big_endian, i, text, NUMBER_SIZE);
            if (i) map_print_add_text(value, ", ");
            map_print_add_text(value, text);
        }
    }
}

// -- Lines for people

// Columns before the path.
static uint32_t map_print_before_path(const map_columns *columns)
{
    return columns->offset + 1 + columns->size + 2 + columns->type + 1;
}

map_columns map_columns_for(uint64_t file_size, bool whole)
{
    char text[32];
    map_columns columns = {.type = TYPE_COLUMNS, .line = whole ? UINT32_MAX : out_columns()};
    int hex = snprintf(text, sizeof text, "%06" PRIx64, file_size);
    int decimal = snprintf(text, sizeof text, "%" PRIu64, file_size);
    columns.offset = (uint32_t)hex + 2;
    columns.size = decimal > 4 ? (uint32_t)decimal : 4;
    uint32_t least = map_print_before_path(&columns) + PATH_LEAST + GAP + VALUE_LEAST;
    if (columns.line < least) columns.line = least;
    // Half of what is left, but no more than paths usually need.
    uint32_t half = (columns.line - map_print_before_path(&columns)) / 2;
    columns.path = half < PATH_USUAL ? half : PATH_USUAL;
    return columns;
}

void map_print_head(const map_columns *columns)
{
    out_color(stdout, OUT_FAINT);
    out(stdout, "%-*s %*s  %-*s %-*s%*svalue", (int)columns->offset, "offset", (int)columns->size,
        "size", (int)columns->type, "type", (int)columns->path, "path", GAP, "");
    out_color(stdout, OUT_PLAIN);
    out(stdout, "\n");
}

// Offset, size and type.
static void map_print_put_place(const map_columns *columns, uint64_t offset, const char *size,
                                const char *type)
{
    out_color(stdout, OUT_FAINT);
    out(stdout, "0x%0*" PRIx64, (int)columns->offset - 2, offset);
    out_color(stdout, OUT_PLAIN);
    out(stdout, " %*s  %-*s ", (int)columns->size, size, (int)columns->type, type);
}

void map_print_part(const map_columns *columns, const tenon_part *part, size_t skip)
{
    char size[32], type[32];
    const char *word = tenon_type_word(part->type);
    bool is_array =
        !part->layout && !map_print_is_text(part->type) && part->type != TENON_TYPE_BYTES;
    (void)snprintf(size, sizeof size, "%" PRIu64, part->size);
    // "f32[3]"; if that is too long, "f32[..]".
    if (!is_array || part->count == 1)
        (void)snprintf(type, sizeof type, "%s", word);
    else if (snprintf(type, sizeof type, "%s[%" PRIu64 "]", word, part->count) > TYPE_COLUMNS)
        (void)snprintf(type, sizeof type, "%s[..]", word);
    map_print_put_place(columns, part->offset, size, type);

    // If the path is too long, its end is shown.
    const char *path = part->path + skip;
    uint32_t path_size = (uint32_t)strlen(path), indent = skip ? 2 : 0,
             at = map_print_before_path(columns);
    uint32_t room = columns->line - at - GAP - VALUE_LEAST;
    bool fits = indent + path_size <= room;
    out_spaces(stdout, indent);
    if (fits)
        out(stdout, "%s", path);
    else
        out(stdout, ELLIPSIS "%s", path + path_size - (room - indent - 1));
    at += fits ? indent + path_size : room;

    value_text value;
    map_print_format_value(&value, part);
    uint32_t value_at = map_print_before_path(columns) + columns->path + GAP;
    if (value_at < at + GAP) value_at = at + GAP;
    if (value.used > 0) out_spaces(stdout, value_at - at);
    if (columns->line == UINT32_MAX &&
        map_print_is_text(part->type)) {  // A text at its full length.
        out(stdout, "\"");
        out_clean_bytes(stdout, part->text.data, part->text.size);
        out(stdout, "\"");
    } else if (clean_columns(value.text) <= columns->line - value_at) {
        out(stdout, "%s", value.text);
    } else {
        size_t shown = clean_fit(value.text, columns->line - value_at - 1);
        out(stdout, "%.*s" ELLIPSIS, (int)shown, value.text);
    }
    out(stdout, "\n");
}

void map_print_more(const map_columns *columns, uint64_t count)
{
    out_spaces(stdout, map_print_before_path(columns));
    out(stdout, "  " ELLIPSIS " %" PRIu64 " more " ELLIPSIS "\n", count);
}

void map_print_fault(const map_columns *columns, const tenon_error *err)
{
    map_print_put_place(columns, err->offset == TENON_ABSENT ? 0 : err->offset, "-", "FAULT");
    char message[sizeof err->message];
    clean_text(err->message, strlen(err->message), message, sizeof message, NULL);
    out_color(stdout, OUT_RED);
    out(stdout, "%s%s", tenon_code_word(err->code), err->path[0] ? " in " : "");
    out_clean(stdout, err->path);
    out(stdout, "\n    ");
    out_wrapped(stdout, message, 4, 4);
    out_color(stdout, OUT_PLAIN);
}

// -- For programs

static void map_print_json_elements(json_out *json, const tenon_layout *layout)
{
    json_uint(json, "stride", layout->stride);
    json_begin(json, "elements", '[');
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        json_begin(json, NULL, '{');
        json_text(json, "name", e->name);
        json_text(json, "type", tenon_type_word(e->type));
        json_uint(json, "count", e->count);
        if (e->rows) json_uint(json, "rows", e->rows);
        json_uint(json, "offset", e->offset);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void map_print_json_value(json_out *json, const tenon_part *part, bool whole)
{
    const tenon_layout *layout = part->layout;
    if (layout) {
        map_print_json_elements(json, layout);
        if (!layout->tail) return;
        json_begin(json, "tail", '{');
        json_text(json, "name", layout->tail_name);
        json_text(json, "count", layout->elements[layout->tail_count].name);
        map_print_json_elements(json, layout->tail);
        json_end(json, '}');
    } else if (map_print_is_text(part->type)) {
        json_str(json, "value", part->text);
    } else if (part->type == TENON_TYPE_BYTES) {
        if (whole || part->size <= MAP_INLINE_MAX) json_hex(json, "value", part->bytes, part->size);
    } else if (part->count == 1) {
        json_typed(json, "value", part->type, part->bytes, part->big_endian, 0);
    } else if (part->count <= MAP_INLINE_MAX) {
        json_begin(json, "value", '[');
        for (uint64_t i = 0; i < part->count; i++)
            json_typed(json, NULL, part->type, part->bytes, part->big_endian, i);
        json_end(json, ']');
    }
}

void map_json_part(const char *file, const tenon_part *part, bool whole)
{
    static const char *const kinds[] = {[TENON_PART_INFERRED] = "inferred",
                                        [TENON_PART_KEPT] = "kept",
                                        [TENON_PART_REMAINDER] = "rest"};
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    if (file) json_text(&json, "file", file);
    json_uint(&json, "offset", part->offset);
    json_uint(&json, "size", part->size);
    json_text(&json, "type", tenon_type_word(part->type));
    json_text(&json, "path", part->path);
    if (!map_print_is_text(part->type)) json_uint(&json, "count", part->count);
    if (part->kind != TENON_PART_FIELD) json_text(&json, "kind", kinds[part->kind]);
    map_print_json_value(&json, part, whole);
    json_end(&json, '}');
    json_line(&json);
}

void map_json_fault(const char *file, const tenon_error *err)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    if (file) json_text(&json, "file", file);
    report_error_member(&json, err);
    json_end(&json, '}');
    json_line(&json);
}
