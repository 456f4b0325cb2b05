// robust_limits.c: limits of memory and depth are respected, and documents are only read.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#include "callbacks.h"

#include "pages.h"

// -- Memory

static const char *read_within(const robust_file *file, uint64_t limit, bool *fits)
{
    robust_memory memory = {0};
    tenon_read_opts opts = {.allocator = robust_allocator(&memory), .max_memory = limit};
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    const char *fault = doc ? fault_in_writing(doc, file->data, file->size) : NULL;
    if (!doc && err.code != TENON_ERR_LIMIT) fault = "the error is not that of the limit";
    if (!doc && !err.message[0]) fault = "there is no message";
    if (memory.peak > robust_memory_most(limit)) fault = "it takes more memory than it may";
    *fits = doc != NULL;
    tenon_doc_free(doc);
    return fault ? fault : fault_in_memory(&memory);
}

static void squeeze(const robust_file *file)
{
    bool fits = false;
    for (uint64_t limit = 16; !fits && limit < ((uint64_t)4 << 20); limit += 16) {
        const char *fault = read_within(file, limit, &fits);
        if (fits && limit < sizeof(tenon_doc)) fault = "it needs less than a document does";
        if (!fault) continue;
        robust_broken(file, fault, "with %" PRIu64 " bytes of memory", limit);
        return;
    }
    if (!fits) robust_broken(file, "it takes more memory than by default", "with a limit");
}

TEST(the_limit_of_memory_is_respected)
{
    robust_each(squeeze);
}

// -- A budget that the caller has used up

static const char *read_with(const robust_file *file, robust_memory *memory, tenon_code want)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_error err = {0};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    tenon_doc_free(doc);
    return err.code == want ? NULL : "the error is not that of the budget";
}

static void spend_before(const robust_file *file)
{
    const char *fault = NULL;
    for (int which = 0; which < 3 && !fault; which++) {
        robust_memory memory = {.budget = tenon_budget_for(file->size)};
        const tenon_budget *b = &memory.budget;
        if (which == 1) (void)tenon_budget_take(&memory.budget, b->memory.limit);
        if (which == 2) (void)tenon_budget_work(&memory.budget, b->work.limit);
        fault = read_with(file, &memory, which ? TENON_ERR_LIMIT : TENON_OK);
        if (which == 1) tenon_budget_give_back(&memory.budget, b->memory.limit);
        if (b->is_exceeded != (which > 0)) fault = "the budget does not know that it is exceeded";
        if (!fault) fault = fault_in_memory(&memory);
        if (fault) robust_broken(file, fault, "with budget %d", which);
    }
}

TEST(a_budget_that_is_used_up_allows_nothing)
{
    robust_each(spend_before);
}

// -- Depth

#define DEEPEST 300

// A model whose nodes are nested: a head, the nodes' beginnings, their ends, a tail. All is zero
// except the head and the number of children, which ends a beginning.
typedef struct tree_shape {
    const char *format;
    size_t head_size, begin_size, end_size, tail_size;
    size_t count_at;  // Where the head counts all nodes; 0: nowhere.
    const char *head;
} tree_shape;

#define SIX_ZEROS "\0\0\0\0\0\0"

static const tree_shape trees[] = {
    {"bbmod", 16, 46, 0, 8, 12, "BBMOD\0\3\4" SIX_ZEROS "\0\0"},
    {"bmw", 44, 76, 0, 4, 0, "Beo-Model-Wolf Format Version 1\0" SIX_ZEROS SIX_ZEROS},
    {"gpb", 31, 76, 6, 16, 0,
     "\xabGPB\xbb\r\n\x1a\n\1\5\1\0\0\0\0\0\0\0\1\0\0\0\x1b\0\0\0\1\0\0\0"},
};

static uint8_t *grow_tree(const tree_shape *tree, size_t depth, size_t *size)
{
    *size = tree->head_size + depth * (tree->begin_size + tree->end_size) + tree->tail_size;
    uint8_t *data = calloc(*size, 1);
    if (!data) exit(1);
    memcpy(data, tree->head, tree->head_size);
    for (size_t i = 0; tree->count_at && i < 2; i++)
        data[tree->count_at + i] = (uint8_t)(depth >> (8 * i));
    for (size_t i = 0; i + 1 < depth; i++)
        data[tree->head_size + (i + 1) * tree->begin_size - 4] = 1;
    return data;
}

// How deep a tree may be under `max_depth`; only deeper ones are beyond the limit.
static size_t deepest_tree(const tree_shape *tree, uint32_t max_depth)
{
    size_t deepest = 0;
    bool is_limit = true;
    for (size_t depth = 1; depth <= DEEPEST; depth++) {
        size_t size;
        uint8_t *data = grow_tree(tree, depth, &size);
        tenon_read_opts opts = {.max_depth = max_depth};
        tenon_error err;
        tenon_doc *doc = tenon_read(data, size, &opts, &err);
        if (doc && depth == deepest + 1) deepest = depth;
        if (!doc && err.code != TENON_ERR_LIMIT) is_limit = false;
        tenon_doc_free(doc);
        free(data);
    }
    CHECK(is_limit);
    return deepest;
}

TEST(the_limit_of_depth_is_respected)
{
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        size_t at_256 = deepest_tree(&trees[i], 256);
        CHECK(at_256 > 240 && at_256 < 256);
        CHECK(deepest_tree(&trees[i], 0) == at_256);
        CHECK(deepest_tree(&trees[i], UINT32_MAX) == at_256);
        CHECK(deepest_tree(&trees[i], 64) == at_256 - 192);
        CHECK(deepest_tree(&trees[i], 1) == 0);
    }
}

// All functions that descend a tree do so on a small stack.
TEST(the_deepest_tree_is_handled)
{
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        size_t size;
        uint8_t *data = grow_tree(&trees[i], deepest_tree(&trees[i], 0), &size);
        tenon_read_opts opts = {.format = NULL};
        tenon_doc *doc = tenon_read(data, size, &opts, NULL);
        const char *fault = doc ? fault_in_accepted(doc, data, size, &opts) : "it is refused";
        if (!fault) fault = fault_in_twin(doc, data, size);
        CHECK_STR(fault ? fault : "", "");
        CHECK_STR(doc ? doc->format->name : "", trees[i].format);
        tenon_doc_free(doc);
        free(data);
    }
}

static void limit_depth(const robust_file *file)
{
    bool was_enough = false;
    for (uint32_t depth = 1; depth <= 256; depth *= 2) {
        tenon_read_opts opts = {.max_depth = depth};
        tenon_error err;
        tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
        const char *fault = doc ? fault_in_writing(doc, file->data, file->size) : NULL;
        if (!doc && err.code != TENON_ERR_LIMIT) fault = "the error is not that of the limit";
        if (!doc && was_enough) fault = "a higher limit allows less";
        was_enough = doc != NULL;
        if (fault) robust_broken(file, fault, "nested %u deep", (unsigned)depth);
        tenon_doc_free(doc);
    }
    if (!was_enough) robust_broken(file, "it is refused", "nested 256 deep");
}

TEST(every_depth_is_enough_or_refused)
{
    robust_each(limit_depth);
}

// -- Documents are only looked at

// Memory of one piece that can be locked against writing.
typedef struct locked_memory {
    uint8_t *start;
    size_t size, used;
} locked_memory;

static void *take_lockable(void *user, size_t size)
{
    locked_memory *m = user;
    size_t need = (size + 15) / 16 * 16;
    if (need > m->size - m->used) return NULL;
    m->used += need;
    return m->start + m->used - need;
}

static void leave_lockable(void *user, void *memory, size_t size)
{
    (void)user;
    (void)memory;
    (void)size;
}

// A store into locked memory ends the program.
static const char *look_at_locked(const tenon_doc *doc, const robust_file *file)
{
    uint64_t offset, size;
    tenon_error err;
    const char *fault = fault_in_writing(doc, file->data, file->size);
    if (!fault) fault = fault_in_twin(doc, file->data, file->size);
    if (!tenon_check(doc, NULL, ignore_finding, NULL, NULL, &err)) fault = "it cannot be checked";
    tenon_locate(doc, "bones[0].name", &offset, &size);
    return fault;
}

static void look_only(const robust_file *file)
{
    locked_memory memory = {.size = ((size_t)16 << 20) + 64 * file->size};
    memory.start = pages_new(memory.size);
    if (!memory.start) exit(1);
    uint8_t *input = take_lockable(&memory, file->size);
    memcpy(input, file->data, file->size);

    // The input has separate pages, which are locked while it is read.
    size_t input_size = (file->size + PAGES_SIZE - 1) / PAGES_SIZE * PAGES_SIZE;
    memory.used = input_size;
    CHECK(pages_lock(memory.start, input_size, true));
    tenon_read_opts opts = {.allocator = {take_lockable, leave_lockable, &memory}};
    tenon_doc *doc = tenon_read(input, file->size, &opts, NULL);
    CHECK(pages_lock(memory.start, memory.size, true));
    const char *fault = doc ? look_at_locked(doc, file) : "it is refused";
    if (fault) robust_broken(file, fault, "in locked memory");
    CHECK(pages_lock(memory.start, memory.size, false));
    tenon_doc_free(doc);
    pages_free(memory.start, memory.size);
}

TEST(inputs_and_documents_are_only_read)
{
    robust_each(look_only);
}

// A bundle of version 1.3 has fonts of one size, which is not counted in the file.
TEST(a_count_that_is_not_stored_is_only_read)
{
    static const char font[] = "\xabGPB\xbb\r\n\x1a\n\1\3\1\0\0\0\0\0\0\0\x80\0\0\0\x1b\0\0\0";
    robust_file file = {.path = "a font", .size = sizeof font - 1 + 36};
    file.data = calloc(file.size, 1);
    if (!file.data) exit(1);
    memcpy(file.data, font, sizeof font - 1);
    look_only(&file);
    free(file.data);
}

static void run_all(void)
{
    RUN(the_limit_of_memory_is_respected);
    RUN(a_budget_that_is_used_up_allows_nothing);
    RUN(the_limit_of_depth_is_respected);
    RUN(the_deepest_tree_is_handled);
    RUN(every_depth_is_enough_or_refused);
#if PAGES_CAN_LOCK
    RUN(inputs_and_documents_are_only_read);
    RUN(a_count_that_is_not_stored_is_only_read);
#else
    SKIP(inputs_and_documents_are_only_read, "there is no memory that can be locked");
    SKIP(a_count_that_is_not_stored_is_only_read, "there is no memory that can be locked");
#endif
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
