// doc_check.c: apply a format's rules to a document and report the findings, in file order.
// SPDX-License-Identifier: MIT

#include "document/doc_check.h"

#include "core/cursor/locate.h"
#include "document/view.h"

#include <inttypes.h>
#include <string.h>

#define FINDINGS_PER_RULE 20
#define CHECK_MEMORY      ((uint64_t)64 << 20)

const tenon_rule tn_common_rules[] = {
    {"file/trailing-bytes", TENON_WARNING, "there are no bytes after the end of the model",
     "remove the bytes if they are a mistake: rewriting the file keeps them", NULL},
    {"file/ambiguous-dialect", TENON_WARNING, "the file matches only one dialect of the format",
     "choose the dialect with --from FORMAT:DIALECT", NULL},
};
const uint32_t tn_common_rule_count = sizeof tn_common_rules / sizeof tn_common_rules[0];

const char *const tn_profiles[] = {"bbmod", "gameplay", "beowolf", "coreengine", NULL};

static void doc_check_common(tn_check *check, const void *any)
{
    const tenon_doc *doc = any;
    if (doc->trailing.size)
        tn_found(check, "trailing-bytes", tn_path("trailing"),
                 "%" PRIu64 " bytes follow the end of the model", doc->trailing.size);
    if (doc->also)
        tn_found(check, "ambiguous-dialect", tn_path("%s", ""),
                 "read as '%s', but the file also matches '%s'", doc->dialect->name,
                 doc->also->name);
}

static void doc_check_format(tn_check *check, const void *any)
{
    const tn_format *format = ((const tenon_doc *)any)->owner->format;
    if (format->check) format->check(check, any);
    if (!format->check && format->views) tn_view_check(check, any);
}

// Run one set of rules; the findings of both sets end up in one list.
static void doc_check_apply(tn_check *check, const tenon_rule *rules, uint32_t rule_count,
                            tenon_check_result *result, void (*rules_fn)(tn_check *, const void *),
                            const tenon_doc *doc)
{
    check->rules = rules;
    check->rule_count = rule_count;
    check->totals = tn_check_alloc(check, rule_count, sizeof *check->totals);
    if (check->failed) return;
    rules_fn(check, doc);
    for (uint32_t i = 0; i < rule_count; i++) {
        if (rules[i].severity == TENON_ERROR) result->errors += check->totals[i];
        if (rules[i].severity == TENON_WARNING) result->warnings += check->totals[i];
        if (rules[i].severity == TENON_INFO) result->infos += check->totals[i];
    }
}

// -- Places

// Measuring visits every field of the document: one pass finds all places.
static tn_found_item **doc_check_locate_all(tn_check *check, const tenon_doc *doc)
{
    uint64_t count = check->found_count;
    tn_found_item **items = tn_check_alloc(check, count, sizeof *items);
    tn_wanted *wanted = tn_check_alloc(check, count, sizeof *wanted);
    if (check->failed) return NULL;
    // Findings in texts may have a place already.
    uint64_t wanted_count = 0;
    for (tn_found_item *f = check->found; f; f = f->next) items[f->order] = f;
    for (uint64_t i = 0; i < count; i++)
        if (items[i]->offset == TENON_ABSENT) wanted[wanted_count++].path = items[i]->path;

    tn_io io;
    tenon_error ignored;
    tn_locator locator;
    tn_locator_init(&locator, wanted, wanted_count);
    tn_io_writer(&io, NULL, NULL, &ignored);
    if (wanted_count) tn_doc_write(doc, &io, &locator.observer);
    for (uint64_t i = 0, k = 0; i < count; i++)
        if (items[i]->offset == TENON_ABSENT) items[i]->offset = wanted[k++].offset;
    for (uint64_t i = 0; i < count && doc->owner->is_cut; i++)
        if (items[i]->offset > doc->source_size) items[i]->offset = TENON_ABSENT;
    return items;
}

// Report findings in file order, those without a place last. There are never many, so that an
// insertion sort, which is stable, does.
static void doc_check_report_findings(const tn_check *check, tn_found_item **items,
                                      tenon_finding_fn *found, void *user)
{
    for (uint64_t i = 1; i < check->found_count; i++) {
        tn_found_item *item = items[i];
        uint64_t k = i;
        for (; k > 0 && items[k - 1]->offset > item->offset; k--) items[k] = items[k - 1];
        items[k] = item;
    }
    // The last reported finding of each rule says how many are not reported.
    for (uint64_t i = check->found_count; i-- > 0;) {
        uint64_t *total = items[i]->total;
        if (*total > check->max_per_rule) items[i]->more = *total - check->max_per_rule;
        *total = 0;
    }
    for (uint64_t i = 0; i < check->found_count; i++)
        found(user, &(tenon_finding){.rule = items[i]->rule,
                                     .severity = items[i]->rule->severity,
                                     .path = items[i]->path,
                                     .offset = items[i]->offset,
                                     .message = items[i]->message,
                                     .fix = items[i]->rule->fix,
                                     .more = items[i]->more});
}

bool tn_doc_check(const tenon_doc *doc, const tenon_check_opts *opts, tenon_finding_fn *found,
                  void *user, tenon_check_result *result, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    tn_arena arena = tn_arena_make(&opts->allocator, CHECK_MEMORY + 16 * doc->source_size);
    tn_check check = {.opts = opts,
                      .max_per_rule = opts->max_per_rule ? opts->max_per_rule : FINDINGS_PER_RULE,
                      .total = doc->source_size,
                      .arena = &arena};
    tn_check_step(&check, 0);
    doc_check_apply(&check, tn_common_rules, tn_common_rule_count, result, doc_check_common, doc);
    if (!check.cancelled)
        doc_check_apply(&check, format->face.rules, format->face.rule_count, result,
                        doc_check_format, doc);
    bool is_done = !check.failed && tn_check_step(&check, 0);
    tn_found_item **items = is_done ? doc_check_locate_all(&check, doc) : NULL;
    if (items && found) doc_check_report_findings(&check, items, found, user);
    tn_arena_free(&arena);
    if (items) return true;
    if (check.outage.code != TENON_OK) {
        if (err) *err = check.outage;
        return false;
    }
    return check.cancelled ? tn_error(err, TENON_ERR_CANCELLED, "cancelled")
                           : tn_error(err, TENON_ERR_MEMORY, "out of memory while checking");
}
