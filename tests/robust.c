// robust.c: damaged files: cut at every byte, with every byte and every 32-bit number changed.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#define TWIN_SIZE     1024  // Text is slow: larger files are dumped only if they are whole,
#define TWIN_SHARE    16    // and of the smaller ones one in so many damaged ones.
#define SALVAGE_SHARE 8     // One damaged file in so many is salvaged.
#define VALUES_SHORT  48    // Files up to this size get every value in every byte,
#define VALUES_LONG   1024  // or to this, when there is time.

// Counts are compared with what the file can hold, long before the limit is reached.
static bool is_in_proportion(uint64_t memory, uint64_t size)
{
    uint64_t limit = ((uint64_t)4 << 20) + 16 * size;
    return memory <= ((uint64_t)64 << 10) + 64 * size && memory <= robust_memory_most(limit);
}

// Read, and use the result; memory is counted.
static const char *fault_in(const void *data, size_t size)
{
    static uint64_t count;
    count++;
    robust_memory memory = {0};
    tenon_read_opts opts = {.allocator = robust_allocator(&memory)};
    bool with_twin = size < TWIN_SIZE && (robust_is_long || count % TWIN_SHARE == 0);
    const char *fault = fault_in_reading(data, size, &opts, with_twin);
    if (!fault && (robust_is_long || count % SALVAGE_SHARE == 0))
        fault = fault_in_salvage(data, size, &opts);
    if (!fault) fault = fault_in_memory(&memory);
    if (!fault && !is_in_proportion(memory.peak, size)) fault = "it takes too much memory";
    return fault;
}

// -- As they are

static void read_whole(const robust_file *file)
{
    const char *fault = fault_in(file->data, file->size);
    if (fault) robust_broken(file, fault, "unchanged");
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    fault = doc ? fault_in_twin(doc, file->data, file->size) : "it is refused";
    if (fault) robust_broken(file, fault, "without options");
    tenon_doc_free(doc);
}

TEST(every_file_is_accepted_and_rewritten)
{
    robust_each(read_whole);
}

// The document outlives the input it has a copy of.
static void read_copied(const robust_file *file)
{
    uint8_t *input = robust_copy(file->data, file->size);
    tenon_read_opts opts = {.copy = true};
    tenon_doc *doc = tenon_read(input, file->size, &opts, NULL);
    memset(input, 0xdd, file->size);
    free(input);
    const char *fault = doc ? fault_in_writing(doc, file->data, file->size) : "it is refused";
    if (fault) robust_broken(file, fault, "with a copy of the input");
    tenon_doc_free(doc);
}

TEST(a_copied_input_may_be_freed)
{
    robust_each(read_copied);
}

// -- Cut

static void cut_everywhere(const robust_file *file)
{
    for (size_t size = 0; size < file->size; size++) {
        if (!robust_takes(file, size)) continue;
        uint8_t *cut = robust_copy(file->data, size);
        const char *fault = fault_in(cut, size);
        free(cut);
        if (!fault) continue;
        robust_broken(file, fault, "cut to %zu bytes", size);
        return;
    }
}

TEST(every_cut_is_refused_or_rewritten)
{
    robust_each(cut_everywhere);
}

static void lengthen(const robust_file *file)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int fill = 0; fill < 256; fill += 255) {
            uint8_t *longer = malloc(file->size + sizes[i]);
            if (!longer) exit(1);
            memcpy(longer, file->data, file->size);
            memset(longer + file->size, fill, sizes[i]);
            const char *fault = fault_in(longer, file->size + sizes[i]);
            free(longer);
            if (fault) robust_broken(file, fault, "with %zu bytes of %d after it", sizes[i], fill);
        }
}

TEST(bytes_after_the_end_are_refused_or_rewritten)
{
    robust_each(lengthen);
}

// -- Changed

// Change `size` bytes at `at` and back again.
static const char *fault_with(uint8_t *data, size_t data_size, size_t at, const uint8_t *bytes,
                              size_t size)
{
    uint8_t kept[4];
    memcpy(kept, data + at, size);
    if (memcmp(kept, bytes, size) == 0) return NULL;
    memcpy(data + at, bytes, size);
    const char *fault = fault_in(data, data_size);
    memcpy(data + at, kept, size);
    return fault;
}

// Small files get every value, others those at which something may overflow.
static const char *patch_byte(const robust_file *file, uint8_t *data, size_t at, uint8_t *value)
{
    uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, data[at] ^ 0x01, data[at] ^ 0x80};
    size_t most = robust_is_long ? VALUES_LONG : VALUES_SHORT;
    unsigned count = file->size <= most ? 256 : sizeof edges;
    for (unsigned i = 0; i < count; i++) {
        *value = count == 256 ? (uint8_t)i : edges[i];
        const char *fault = fault_with(data, file->size, at, value, 1);
        if (fault) return fault;
    }
    return NULL;
}

static void patch_everywhere(const robust_file *file)
{
    uint8_t *data = robust_copy(file->data, file->size);
    const char *fault = NULL;
    for (size_t at = 0; at < file->size && !fault; at++) {
        uint8_t value = 0;
        if (robust_takes(file, at)) fault = patch_byte(file, data, at, &value);
        if (fault) robust_broken(file, fault, "with %u at %zu", value, at);
    }
    free(data);
}

TEST(every_changed_byte_is_refused_or_rewritten)
{
    robust_each(patch_everywhere);
}

// In both byte orders: some sizes that matter are not stored in the file's own.
static const uint8_t windows[][4] = {
    {0, 0, 0, 0},
    {1, 0, 0, 0},
    {0, 0, 0, 1},
    {0xff, 0xff, 0xff, 0x7f},
    {0x7f, 0xff, 0xff, 0xff},
    {0, 0, 0, 0x80},
    {0x80, 0, 0, 0},
    {0xff, 0xff, 0xff, 0xff},
};

static void patch_windows(const robust_file *file)
{
    uint8_t *data = robust_copy(file->data, file->size);
    const char *fault = NULL;
    for (size_t at = 0; at + 4 <= file->size && !fault; at++) {
        if (!robust_takes(file, at)) continue;
        for (size_t i = 0; i < sizeof windows / sizeof windows[0] && !fault; i++) {
            fault = fault_with(data, file->size, at, windows[i], 4);
            if (fault) robust_broken(file, fault, "with number %zu of the list at %zu", i, at);
        }
    }
    free(data);
}

TEST(every_changed_number_is_refused_or_rewritten)
{
    robust_each(patch_windows);
}

static void run_all(void)
{
    RUN(every_file_is_accepted_and_rewritten);
    RUN(a_copied_input_may_be_freed);
    RUN(every_cut_is_refused_or_rewritten);
    RUN(bytes_after_the_end_are_refused_or_rewritten);
    RUN(every_changed_byte_is_refused_or_rewritten);
    RUN(every_changed_number_is_refused_or_rewritten);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
