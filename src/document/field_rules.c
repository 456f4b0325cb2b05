// field_rules.c: rules that hold for all fields of a kind, whatever the format.
// SPDX-License-Identifier: MIT

#include "document/field_rules.h"

#include "core/cursor/span.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>

typedef struct field_rules {
    tn_observer observer;
    tn_check *check;
} field_rules;

tn_path_text tn_path_of_field(const tn_io *io, const tn_field *field, uint64_t item)
{
    tn_path_text path;
    tn_io_path(io, field->name, path.text, sizeof path.text);
    if (item != TENON_ABSENT) path = tn_path("%s[%" PRIu64 "]", path.text, item);
    return path;
}

static void field_rules_check_numbers(const field_rules *rules, tn_io *io, const tn_field *field)
{
    uint32_t width = tenon_type_size(field->type);
    for (uint64_t i = 0; i < field->count; i++) {
        const uint8_t *p = field->bytes + i * width;
        if (isfinite(width == 4 ? (double)tn_load_f32(p, field->big_endian)
                                : tn_load_f64(p, field->big_endian)))
            continue;
        tn_found(rules->check, "not-finite", tn_path_of_field(io, field, TENON_ABSENT),
                 "number %" PRIu64 " of %" PRIu64 " is not finite", i + 1, field->count);
        return;
    }
}

static void field_rules_check_array(const field_rules *rules, tn_io *io, const tn_field *field)
{
    bool has_floats = false;
    for (uint32_t i = 0; i < field->layout->element_count; i++)
        has_floats = has_floats || field->layout->elements[i].type == TENON_TYPE_F32;
    if (!has_floats) {
        tn_check_step(rules->check, field->size);
        return;
    }
    const tenon_span span = {.data = field->bytes,
                             .size = field->size,
                             .count = field->count,
                             .layout = field->layout,
                             .big_endian = field->big_endian};
    uint64_t bad, first = tn_check_find_not_finite(rules->check, &span, &bad);
    if (first == TENON_ABSENT) return;
    tn_found(rules->check, "not-finite", tn_path_of_field(io, field, first),
             "%" PRIu64 " of %" PRIu64 " items have a number that is not finite, this is the first",
             bad, field->count);
}

// Paths are made for findings only: there are many fields.
static void field_rules_visit(tn_observer *self, tn_io *io, const tn_field *field)
{
    const field_rules *rules = (const field_rules *)self;
    tn_check *check = rules->check;
    bool is_flag = field->role == TN_ROLE_FLAG;
    if (check->cancelled || field->role == TN_ROLE_CONSTANT || field->role == TN_ROLE_COUNT ||
        field->role == TN_ROLE_JUDGED)
        return;
    if (field->type == TENON_TYPE_F32 || field->type == TENON_TYPE_F64) {
        field_rules_check_numbers(rules, io, field);
    } else if (field->type == TENON_TYPE_RECORDS) {
        field_rules_check_array(rules, io, field);
    } else if (is_flag || field->role == TN_ROLE_RESERVED) {
        uint32_t value =
            field->size == 4 ? tn_load32(field->bytes, field->big_endian) : field->bytes[0];
        if (is_flag ? value > 1 : value != 0)
            tn_found(check, is_flag ? "flag" : "padding", tn_path_of_field(io, field, TENON_ABSENT),
                     is_flag ? "the flag is %" PRIu32 : "the reserved word is %" PRIu32, value);
    } else if (field->text.size) {
        if (!tn_utf8_valid(field->text.data, field->text.size))
            tn_found(check, "text-utf8", tn_path_of_field(io, field, TENON_ABSENT),
                     "'%s' is not valid UTF-8", tn_show(field->text, 64).text);
        if (field->role == TN_ROLE_TEXTURE)
            tn_check_texture(check, tn_path_of_field(io, field, TENON_ABSENT), field->text);
    }
}

void tn_check_texture(tn_check *check, tn_path_text path, tenon_str texture)
{
    tn_check_inside(check, "texture-path", path, texture);
    if (!check->opts->model_path || !tn_name_stays_inside(texture)) return;
    tn_shown shown = tn_show(texture, 96);
    tn_place place = tn_check_look(check, texture);
    if (place == TN_PLACE_OUTSIDE)
        tn_found(check, "texture-path", path, "'%s' is a link to a file outside the model's folder",
                 shown.text);
    else if (place == TN_PLACE_MISSING)
        tn_found(check, "texture-missing", path, "'%s' was not found next to the model",
                 shown.text);
}

void tn_check_fields(tn_check *check, const void *doc)
{
    field_rules rules = {.observer = {.field = field_rules_visit}, .check = check};
    tn_doc_look(doc, &rules.observer);
}
