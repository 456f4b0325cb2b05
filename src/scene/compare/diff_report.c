// diff_report.c: reports what differs, and compares single values.
// SPDX-License-Identifier: MIT

#include "scene/compare/diff.h"

#include "core/math/math.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REPORTED_MOST 20  // Of each kind.
#define NAME_SIZE     64  // Of names in paths, with a NUL.

static const char *const kind_words[] = {
#define KIND(id, word) word,
    TN_DIFF_KINDS(KIND)
#undef KIND
};

static const char *const list_words[] = {"nodes",  "meshes",     "skins",   "materials",
                                         "images", "animations", "cameras", "lights"};

// -- Texts

tn_diff_text tn_diff_print(const char *fmt, ...)
{
    tn_diff_text out;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(out.text, sizeof out.text, fmt, args);
    va_end(args);
    return out;
}

tn_diff_text tn_diff_name(tenon_str name)
{
    tn_diff_text out;
    tn_text_clean(name.data, name.size, out.text, NAME_SIZE);
    return out;
}

tn_diff_text tn_diff_label(const tn_diff *diff, int side, tn_object_list list, uint32_t index)
{
    if (!diff->is_unique[list][side][index]) return tn_diff_print("%u", (unsigned)index);
    return tn_diff_name(tn_object_name(diff->scenes[side], list, index));
}

tn_diff_text tn_diff_path(const tn_diff *diff, const tn_object_pair *pair, const char *property)
{
    bool is_in_a = pair->a != TENON_NONE;
    tn_diff_text label = tn_diff_label(diff, !is_in_a, pair->list, is_in_a ? pair->a : pair->b);
    return tn_diff_print("%s[%s]%s%s", list_words[pair->list], label.text, *property ? "." : "",
                         property);
}

static tenon_str diff_report_to_str(const char *text)
{
    return (tenon_str){text, (uint32_t)strlen(text)};
}

// -- Reporting

static void *diff_report_alloc(tn_diff *diff, uint64_t count, size_t size)
{
    if (diff->context.failed) return NULL;
    void *memory = tn_arena_alloc_or_fail(&diff->report_arena, count, size, "the comparison",
                                          diff->context.err);
    diff->context.failed = !memory;
    return memory;
}

static const char *diff_report_keep(tn_diff *diff, tenon_str text)
{
    char *copy = diff_report_alloc(diff, (uint64_t)text.size + 1, 1);
    if (copy && text.size) memcpy(copy, text.data, text.size);
    return copy;
}

void tn_diff_report(tn_diff *diff, tn_diff_kind kind, const char *path, tenon_str a, tenon_str b,
                    double amount, uint64_t count)
{
    diff->count += count;
    amount = amount - amount == 0 ? amount : -1;
    if (diff->kinds[kind].count == REPORTED_MOST) {
        tenon_difference *last = &diff->kinds[kind].last->difference;
        last->more += count;
        if (amount > last->amount) last->amount = amount;
        return;
    }
    tn_diff_item *item = diff_report_alloc(diff, 1, sizeof *item);
    if (!item) return;
    item->difference = (tenon_difference){.path = diff_report_keep(diff, diff_report_to_str(path)),
                                          .a = diff_report_keep(diff, a),
                                          .b = diff_report_keep(diff, b),
                                          .amount = amount,
                                          .kind = kind_words[kind],
                                          .more = count - 1};
    if (diff->context.failed) return;
    *diff->end = item;
    diff->end = &item->next;
    diff->kinds[kind].last = item;
    diff->kinds[kind].count++;
}

void tn_diff_report_words(tn_diff *diff, tn_diff_kind kind, const char *path, const char *a,
                          const char *b, double amount, uint64_t count)
{
    tn_diff_report(diff, kind, path, diff_report_to_str(a), diff_report_to_str(b), amount, count);
}

// -- Numbers

double tn_diff_distance(const double *a, const double *b, uint32_t count, double reference)
{
    double distance = 0, a_size = 0, b_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        distance += (a[i] - b[i]) * (a[i] - b[i]);
        a_size += a[i] * a[i];
        b_size += b[i] * b[i];
    }
    if (distance == 0) return 0;
    double size = sqrt(a_size > b_size ? a_size : b_size);
    return sqrt(distance) / (size > reference ? size : reference);
}

double tn_diff_angle(const double a[4], const double b[4])
{
    double minus = 0, plus = 0;  // Both signs are the same rotation.
    for (int k = 0; k < 4; k++) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 4 * tn_asin(sqrt(minus < plus ? minus : plus) / 2);
}

bool tn_diff_is_equal(const tn_diff *diff, double distance)
{
    return distance <= diff->tolerance;
}

static tn_diff_text diff_report_numbers_text(const double *values, uint32_t count, bool is_wide)
{
    tn_diff_text out = {""};
    size_t used = 0;
    for (uint32_t i = 0; i < count && used + TN_NUMBER_MAX + 1 < sizeof out.text; i++) {
        bool fits = fabs(values[i]) <= (double)FLT_MAX;
        if (i) out.text[used++] = ' ';
        used += is_wide || !fits ? tn_f64_text(values[i], out.text + used)
                                 : tn_f32_text((float)values[i], out.text + used);
    }
    return out;
}

// Short texts, unless they hide what differs.
void tn_diff_numbers_text(const double *a, const double *b, uint32_t count, tn_diff_text *a_text,
                          tn_diff_text *b_text)
{
    *a_text = diff_report_numbers_text(a, count, false);
    *b_text = diff_report_numbers_text(b, count, false);
    if (strcmp(a_text->text, b_text->text) != 0) return;
    *a_text = diff_report_numbers_text(a, count, true);
    *b_text = diff_report_numbers_text(b, count, true);
}

void tn_diff_report_numbers(tn_diff *diff, tn_diff_kind kind, const char *path, const double *a,
                            const double *b, uint32_t count, double amount)
{
    tn_diff_text a_text, b_text;
    tn_diff_numbers_text(a, b, count, &a_text, &b_text);
    tn_diff_report_words(diff, kind, path, a_text.text, b_text.text, amount, 1);
}

// -- Values

void tn_diff_numbers(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                     const char *property, const double *a, const double *b, uint32_t count,
                     double reference)
{
    double distance = tn_diff_distance(a, b, count, reference);
    if (tn_diff_is_equal(diff, distance)) return;
    tn_diff_report_numbers(diff, kind, tn_diff_path(diff, pair, property).text, a, b, count,
                           distance);
}

void tn_diff_number(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                    const char *property, double a, double b, double reference)
{
    tn_diff_numbers(diff, kind, pair, property, &a, &b, 1, reference);
}

void tn_diff_texts(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, tenon_str a, tenon_str b)
{
    if (tn_text_equal(a, b)) return;
    tn_diff_report(diff, kind, tn_diff_path(diff, pair, property).text, a, b, -1, 1);
}

void tn_diff_words(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, const char *a, const char *b)
{
    tn_diff_texts(diff, kind, pair, property, diff_report_to_str(a), diff_report_to_str(b));
}

void tn_diff_flags(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                   const char *property, bool a, bool b)
{
    tn_diff_words(diff, kind, pair, property, a ? "yes" : "no", b ? "yes" : "no");
}

static tn_diff_text diff_report_reference_text(const tn_diff *diff, int side, tn_object_list list,
                                               uint32_t index)
{
    if (index == TENON_NONE) return (tn_diff_text){""};
    return tn_diff_label(diff, side, list, index);
}

void tn_diff_reference(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair,
                       const char *property, tn_object_list list, uint32_t a, uint32_t b)
{
    uint32_t partner = a == TENON_NONE ? TENON_NONE : diff->pairings[list].partners[0][a];
    if ((a == TENON_NONE) == (b == TENON_NONE) && partner == b) return;
    tn_diff_text a_text = diff_report_reference_text(diff, 0, list, a),
                 b_text = diff_report_reference_text(diff, 1, list, b);
    tn_diff_report_words(diff, kind, tn_diff_path(diff, pair, property).text, a_text.text,
                         b_text.text, -1, 1);
}

// -- Objects without a partner

static void diff_report_unpaired(tn_diff *diff, tn_diff_kind kind, const tn_object_pair *pair)
{
    bool is_in_a = pair->a != TENON_NONE;
    tn_diff_text label = tn_diff_label(diff, !is_in_a, pair->list, is_in_a ? pair->a : pair->b);
    tn_diff_report_words(diff, kind, tn_diff_path(diff, pair, "").text, is_in_a ? label.text : "",
                         is_in_a ? "" : label.text, -1, 1);
}

void tn_diff_unpaired(tn_diff *diff, tn_diff_kind kind, tn_object_list list)
{
    const tn_pairing *pairing = &diff->pairings[list];
    for (uint32_t i = 0; i < pairing->count[0] && !diff->context.failed; i++) {
        tn_object_pair pair = {list, i, pairing->partners[0][i]};
        if (pair.b == TENON_NONE)
            diff_report_unpaired(diff, kind, &pair);
        else
            tn_diff_texts(diff, TN_DIFF_NAMES, &pair, "name",
                          tn_object_name(diff->scenes[0], list, i),
                          tn_object_name(diff->scenes[1], list, pair.b));
    }
    for (uint32_t i = 0; i < pairing->count[1] && !diff->context.failed; i++)
        if (pairing->partners[1][i] == TENON_NONE)
            diff_report_unpaired(diff, kind, &(tn_object_pair){list, TENON_NONE, i});
}
