// pairs.c: what a command compares: two models, or those of two folders with the same names.
// SPDX-License-Identifier: MIT

#include "batch/pairs.h"

#include "convert/convert_output.h"
#include "input/model.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

// A model of one of the folders.
typedef struct pair_candidate {
    const char *file, *name;
    size_t stem_size;  // Of the name.
    int side;
    bool is_taken;
} pair_candidate;

static int pairs_compare_stems(const pair_candidate *a, const pair_candidate *b)
{
    size_t size = a->stem_size < b->stem_size ? a->stem_size : b->stem_size;
    int order = memcmp(a->name, b->name, size);
    if (order) return order;
    return a->stem_size < b->stem_size ? -1 : a->stem_size > b->stem_size;
}

static int pairs_compare(const void *a, const void *b)
{
    const pair_candidate *x = a, *y = b;
    int order = pairs_compare_stems(x, y);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : x->side - y->side;
}

static void pairs_add(model_pairs *pairs, pair_candidate *first, pair_candidate *second)
{
    model_pair *pair = &pairs->list[pairs->count++];
    *pair = (model_pair){.name = first->name};
    pair->files[first->side] = first->file;
    first->is_taken = true;
    if (!second) return;
    pair->files[second->side] = second->file;
    second->is_taken = true;
}

// Pair the models whose names differ in the extension only, if at all.
static void pairs_match(model_pairs *pairs, pair_candidate *group, uint32_t count)
{
    pair_candidate *left[2] = {NULL, NULL};
    uint32_t left_counts[2] = {0, 0};
    for (uint32_t i = 0; i + 1 < count; i++)
        if (!group[i].is_taken && strcmp(group[i].name, group[i + 1].name) == 0)
            pairs_add(pairs, &group[i], &group[i + 1]);
    for (uint32_t i = 0; i < count; i++) {
        if (group[i].is_taken) continue;
        left[group[i].side] = &group[i];
        left_counts[group[i].side]++;
    }
    if (left_counts[0] == 1 && left_counts[1] == 1) pairs_add(pairs, left[0], left[1]);
    for (uint32_t i = 0; i < count; i++)
        if (!group[i].is_taken) pairs_add(pairs, &group[i], NULL);
}

static int pairs_find_in_folders(model_pairs *pairs, const cli_common *common, summary *skipped)
{
    const folder_search search = {.only_models = true, .may_be_empty = true};
    cli_common side = *common;
    int status = CLI_GO_ON;
    pairs->are_many = true;
    side.operand_count = 1;
    for (int i = 0; i < 2 && status == CLI_GO_ON; i++) {
        side.operands = &common->operands[i];
        status = inputs_find(&pairs->sides[i], &side, 1, &search, skipped);
        if (status != CLI_GO_ON || pairs->sides[i].are_many) continue;
        const tenon_error err = report_make(TENON_ERR_IO, "is not a folder any more");
        status = report_error(side.operands[0], &err);
    }
    if (status != CLI_GO_ON) return status;
    uint32_t count = pairs->sides[0].count + pairs->sides[1].count, used = 0;
    pair_candidate *all = calloc(count + 1, sizeof *all);
    pairs->list = calloc(count + 1, sizeof *pairs->list);
    if (!all || !pairs->list) {
        free(all);
        return report_no_memory();
    }
    for (int side_index = 0; side_index < 2; side_index++) {
        const inputs *in = &pairs->sides[side_index];
        for (uint32_t i = 0; i < in->count; i++) {
            const char *name = in->files[i] + in->places[i].name_at, *base = path_base_name(name);
            all[used++] =
                (pair_candidate){.file = in->files[i],
                                 .name = name,
                                 .stem_size = (size_t)(base - name) + path_stem_size(base),
                                 .side = side_index};
        }
    }
    if (count) qsort(all, count, sizeof *all, pairs_compare);
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count; next++)
            if (pairs_compare_stems(&all[first], &all[next]) != 0) break;
        pairs_match(pairs, all + first, next - first);
    }
    free(all);
    if (count) return CLI_GO_ON;
    const tenon_error err = report_make(TENON_ERR_IO, "neither folder contains models");
    return report_error(common->operands[0], &err);
}

int pairs_find(model_pairs *pairs, const cli_command *command, const cli_common *common,
               summary *skipped)
{
    char **files = common->operands;
    *pairs = (model_pairs){0};
    if (common->batch.files_from.count)
        return report_usage(command, "'--files-from' is not possible: A and B are two models, or "
                                     "two folders");
    if (model_stdin_is_repeated(common, common->operand_count))
        return report_usage(command, "standard input can be read only once");
    bool are_folders[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        int error =
            path_is_stream(files[i]) ? 0 : convert_look_for_folder(files[i], &are_folders[i]);
        if (error == 0) continue;
        const tenon_error err =
            report_make(TENON_ERR_IO, "cannot be accessed: %s", strerror(error));
        return report_error(files[i], &err);
    }
    if (are_folders[0] != are_folders[1])
        return report_usage(command, "'%s' is a folder, but '%s' is not", files[are_folders[1]],
                            files[are_folders[0]]);
    int status = CLI_GO_ON;
    if (are_folders[0]) {
        status = pairs_find_in_folders(pairs, common, skipped);
    } else {
        pairs->list = calloc(1, sizeof *pairs->list);
        if (!pairs->list) return report_no_memory();
        pairs->list[pairs->count++] = (model_pair){{files[0], files[1]}, files[0]};
    }
    pairs->names = calloc(pairs->count + 1, sizeof *pairs->names);
    if (status == CLI_GO_ON && !pairs->names) return report_no_memory();
    for (uint32_t i = 0; i < pairs->count; i++)
        pairs->names[i] = (char *)(uintptr_t)pairs->list[i].name;
    return status;
}

// -- Comparing

typedef struct pairs_work {
    const model_pairs *pairs;
    const cli_common *common;
    int (*compare)(void *user, const model_pair *pair, char why[EACH_WHY_SIZE]);
    void *user;
} pairs_work;

static int pairs_report_missing(const model_pair *pair, const cli_common *common,
                                char why[EACH_WHY_SIZE])
{
    const char *side = pair->files[0] ? "A" : "B";
    (void)snprintf(why, EACH_WHY_SIZE, "it is only in %s", side);
    if (common->json) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "pair", pair->name);
        json_text(&json, "only_in", side);
        json_end(&json, '}');
        json_line(&json);
    } else if (!common->quiet) {
        out(stdout, "only in %s: ", side);
        out_clean(stdout, pair->name);
        out(stdout, "\n");
    }
    return CLI_FAILED;
}

static int pairs_run_one(void *user, uint32_t index, char why[EACH_WHY_SIZE])
{
    const pairs_work *work = user;
    const model_pair *pair = &work->pairs->list[index];
    return pair->files[0] && pair->files[1] ? work->compare(work->user, pair, why)
                                            : pairs_report_missing(pair, work->common, why);
}

int pairs_run(const model_pairs *pairs, const cli_common *common,
              int (*compare)(void *user, const model_pair *pair, char why[EACH_WHY_SIZE]),
              void *user, const char *equal, summary *totals)
{
    pairs_work work = {pairs, common, compare, user};
    const each_file each = {.common = common,
                            .names = pairs->names,
                            .count = pairs->count,
                            .user = &work,
                            .run = pairs_run_one};
    int worst = totals->failed ? CLI_SYSTEM : CLI_OK;
    if (common->json) summary_print_skipped(totals, false);
    int status = each_file_run(&each, totals);
    if (worst > status) status = worst;
    return summary_end(totals, common, equal, pairs->are_many, status);
}

void pairs_free(model_pairs *pairs)
{
    for (int i = 0; i < 2; i++) inputs_free(&pairs->sides[i]);
    free(pairs->list);
    free(pairs->names);
    *pairs = (model_pairs){0};
}
