// golden.h: what the library reports about our files, compared with what it reported before.
// SPDX-License-Identifier: MIT
//
// A program collects lines of text and compares them with a file of tests/golden. Lines of
// "== name" begin a block; of each block that differs, the lines that do are printed. With the
// argument `--update` the file is written instead: `git diff` shows what changed. Long arrays are
// there as their first numbers and a hash of all; `--loud` prints the texts of which only a hash is
// kept, so that those of two versions can be compared. A part that equals one of an earlier
// block is one line that names that block, so that the files stay small.

#ifndef TENON_TESTS_GOLDEN_H
#define TENON_TESTS_GOLDEN_H

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/files.h>
#include <tenon/scene.h>

#include "robust_properties.h"
#include "test.h"

#define GOLDEN_FILES_MOST 128
#define GOLDEN_PARTS_MOST 4096
#define GOLDEN_SHOWN_MOST 16  // Lines shown of a block, on each side.

static bool golden_is_update;
static bool golden_is_loud;  // With `--loud`, texts of which only a hash is kept are printed.

// -- Text

typedef growing_bytes golden_text;

static inline void golden_say(golden_text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static inline void golden_say(golden_text *text, const char *fmt, ...)
{
    char buffer[2048];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(buffer, sizeof buffer, fmt, args);
    va_end(args);
    size_t length = size < 0 ? 0 : (size_t)size < sizeof buffer ? (size_t)size : sizeof buffer - 1;
    if (!append_bytes(text, buffer, length)) exit(1);
}

// Text of a file, which may hold anything.
static inline void golden_say_str(golden_text *text, tenon_str str)
{
    golden_say(text, " '");
    for (uint32_t i = 0; i < str.size; i++) {
        unsigned char c = (unsigned char)str.data[i];
        golden_say(text, c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    golden_say(text, "'");
}

// The shortest text that reads back the same, on every system.
static inline void golden_say_number(golden_text *text, double value)
{
    char number[40];
    uint8_t bytes[sizeof value];
    const uint16_t one = 1;
    memcpy(bytes, &value, sizeof bytes);
    tenon_number_text(TENON_TYPE_F64, bytes, *(const uint8_t *)&one == 0, 0, number, sizeof number);
    golden_say(text, " %s", number);
}

static inline void golden_say_numbers(golden_text *text, const char *name, const double *values,
                                      size_t count)
{
    golden_say(text, " %s", name);
    for (size_t i = 0; i < count; i++) golden_say_number(text, values[i]);
}

static inline void golden_say_index(golden_text *text, const char *name, uint32_t index)
{
    if (index != TENON_NONE) golden_say(text, " %s %" PRIu32, name, index);
}

static inline void golden_say_error(golden_text *text, const tenon_error *err)
{
    golden_say(text, "%s", tenon_code_word(err->code));
    if (err->offset != TENON_ABSENT) golden_say(text, " at %" PRIu64, err->offset);
    if (err->line) golden_say(text, " line %" PRIu64 ":%" PRIu64, err->line, err->column);
    golden_say(text, " %s: %s", err->path, err->message);
    if (err->note[0]) golden_say(text, " (%s)", err->note);
    golden_say(text, "\n");
}

// -- Hashes, the same on machines of either byte order

static inline uint64_t golden_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t golden_hash(const void *data, size_t size)
{
    uint64_t hash = size + 1;
    for (size_t i = 0; i < size; i++) hash = golden_mix(hash, ((const uint8_t *)data)[i]);
    return hash;
}

static inline void golden_say_hash(golden_text *text, uint64_t hash)
{
    golden_say(text, " #%08" PRIx32, (uint32_t)(hash >> 32));
}

static inline void golden_say_bytes(golden_text *text, const char *name, const golden_text *bytes)
{
    golden_say(text, "%s: %zu bytes", name, bytes->size);
    golden_say_hash(text, golden_hash(bytes->data, bytes->size));
    golden_say(text, "\n");
}

// -- Files that are reported on

typedef struct golden_file {
    char path[512];
    const char *name;  // Without the folder.
    uint8_t *data;     // Exactly `size` bytes, so that a sanitizer notices a read beyond the end.
    size_t size;
    const tenon_format *format;
    bool is_large;  // It is not damaged, which takes long.
} golden_file;

typedef struct golden_files {
    golden_file items[GOLDEN_FILES_MOST];
    size_t count;
} golden_files;

static inline void golden_add_file(golden_files *files, const char *folder, const char *name,
                                   const char *format)
{
    if (name[0] == '.' || files->count == GOLDEN_FILES_MOST) return;
    golden_file *file = &files->items[files->count];
    tenon_bytes bytes;
    snprintf(file->path, sizeof file->path, "%s/%s", folder, name);
    if (!tenon_load(file->path, NULL, &bytes, NULL)) return;  // A folder.
    tenon_read_opts opts = {.name = file->path};
    tenon_doc *doc = tenon_read(bytes.data, bytes.size, &opts, NULL);
    if (doc && strcmp(doc->format->name, format) == 0) {
        file->format = doc->format;
        file->name = strrchr(file->path, '/') + 1;
        file->size = bytes.size;
        file->data = malloc(bytes.size);
        if (!file->data && bytes.size) exit(1);
        if (bytes.size) memcpy(file->data, bytes.data, bytes.size);
        files->count++;
    }
    tenon_doc_free(doc);
    tenon_unload(&bytes);
}

static inline int golden_compare_files(const void *a, const void *b)
{
    return strcmp(((const golden_file *)a)->path, ((const golden_file *)b)->path);
}

static inline void golden_add_folder(golden_files *files, const char *folder, const char *format)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        golden_add_file(files, folder, entry->d_name, format);
    if (dir) closedir(dir);
}

// The fixtures and samples of a format, in the order of their paths.
static inline golden_files *golden_collect(const char *format)
{
    char folder[128];
    golden_files *files = calloc(1, sizeof *files);
    if (!files) exit(1);
    snprintf(folder, sizeof folder, "tests/fixtures/%s", format);
    golden_add_folder(files, folder, format);
    golden_add_folder(files, "samples", format);
    qsort(files->items, files->count, sizeof files->items[0], golden_compare_files);
    for (size_t i = 0; i < files->count; i++)
        files->items[i].name = strrchr(files->items[i].path, '/') + 1;
    return files;
}

static inline void golden_free_files(golden_files *files)
{
    for (size_t i = 0; i < files->count; i++) free(files->items[i].data);
    free(files);
}

static inline tenon_doc *golden_read(const golden_file *file)
{
    tenon_read_opts opts = {.name = file->path};
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, &err);
    if (!doc) fprintf(stderr, "%s: %s\n", file->path, err.message);
    CHECK(doc);
    return doc;
}

// -- Parts of blocks that are like those of earlier ones

typedef struct golden_part {
    uint64_t hash;
    const char *kind, *name;
} golden_part;

typedef struct golden_book {
    golden_text text;
    golden_part parts[GOLDEN_PARTS_MOST];
    size_t part_count;
} golden_book;

// Add a part of the block `name` and free it. Returns whether it is the first part with this
// text.
static inline bool golden_add(golden_book *book, const char *kind, const char *name,
                              golden_text *part)
{
    uint64_t hash = golden_hash(part->data, part->size);
    const char *first = NULL;
    for (size_t i = 0; i < book->part_count && !first; i++)
        if (book->parts[i].hash == hash && strcmp(book->parts[i].kind, kind) == 0)
            first = book->parts[i].name;
    if (first)
        golden_say(&book->text, "%s: as %s\n", kind, first);
    else if (part->size && !append_bytes(&book->text, part->data, part->size))
        exit(1);
    if (!first && book->part_count < GOLDEN_PARTS_MOST)
        book->parts[book->part_count++] = (golden_part){hash, kind, name};
    free(part->data);
    *part = (golden_text){0};
    return !first;
}

// -- Comparing

// The end of the block that begins at `text`.
static inline const char *golden_block_end(const char *text)
{
    const char *next = *text ? strstr(text + 1, "\n== ") : NULL;
    return next ? next + 1 : text + strlen(text);
}

// The block with the head line of `block`, or NULL.
static inline const char *golden_find_block(const char *text, const char *block)
{
    size_t size = strcspn(block, "\n") + 1;
    for (; *text; text = golden_block_end(text))
        if (strncmp(text, block, size) == 0) return text;
    return NULL;
}

static inline void golden_show_lines(char mark, const char *from, const char *end)
{
    for (int shown = 0; from < end; shown++) {
        size_t size = strcspn(from, "\n");
        if (shown == GOLDEN_SHOWN_MOST) {
            fprintf(stderr, "%c ...\n", mark);
            return;
        }
        fprintf(stderr, "%c %.*s\n", mark, (int)size, from);
        from += size + 1;
    }
}

// Show the lines of two blocks between their common start and their common end.
static inline void golden_show_block(const char *old, const char *old_end, const char *new,
                                     const char *new_end)
{
    const char *old_line = old, *new_line = new;
    fprintf(stderr, "%.*s\n", (int)strcspn(new < new_end ? new : old, "\n"),
            new < new_end ? new : old);
    for (; old < old_end && new < new_end &&*old == *new; old++, new ++)
        if (*old == '\n') old_line = old + 1, new_line = new + 1;
    const char *old_last = old_end, *new_last = new_end;
    for (; old_end > old_line && new_end > new_line && old_end[-1] == new_end[-1];
         old_end--, new_end--)
        if (old_end[-1] == '\n') old_last = old_end, new_last = new_end;
    golden_show_lines('-', old_line, old_last);
    golden_show_lines('+', new_line, new_last);
}

static inline void golden_show_differences(const char *old, const char *new)
{
    for (const char *block = new; *block; block = golden_block_end(block)) {
        const char *end = golden_block_end(block), *was = golden_find_block(old, block);
        const char *was_end = was ? golden_block_end(was) : NULL;
        bool same =
            was && end - block == was_end - was && memcmp(was, block, (size_t)(end - block)) == 0;
        if (!same) golden_show_block(was ? was : "", was ? was_end : "", block, end);
    }
    for (const char *block = old; *block; block = golden_block_end(block))
        if (!golden_find_block(new, block))
            golden_show_block(block, golden_block_end(block), "", "");
}

// The text with all special characters escaped, and spaces at the end of a line; the caller
// frees it.
static inline golden_text golden_escape(const golden_text *text)
{
    golden_text plain = {0};
    for (size_t i = 0; i < text->size; i++) {
        unsigned char c = text->data[i];
        bool is_last = c == ' ' && i + 1 < text->size && text->data[i + 1] == '\n';
        bool is_plain = c == '\n' || (c >= ' ' && c <= '~' && !is_last);
        golden_say(&plain, is_plain ? "%c" : "\\x%02x", c);
    }
    golden_say(&plain, "%c", 0);
    return plain;
}

// Compare the book with tests/golden/NAME.txt, or write that, and free it.
static inline void golden_compare(golden_book *book, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "tests/golden/%s.txt", name);
    golden_text plain = golden_escape(&book->text);
    const char *text = (const char *)plain.data;
    size_t size = plain.size - 1;
    if (golden_is_update) {
        tenon_write_opts opts = {.force = true};
        CHECK(tenon_save(path, text, size, &opts, NULL));
    } else {
        tenon_bytes bytes = {0};
        golden_text old = {0};
        if (tenon_load(path, NULL, &bytes, NULL)) append_bytes(&old, bytes.data, bytes.size);
        golden_say(&old, "%c", 0);
        if (strcmp((const char *)old.data, text) != 0) {
            golden_show_differences((const char *)old.data, text);
            fprintf(stderr, "%s differs; if that is intended, run this program with --update\n",
                    path);
            test_failures++;
        }
        free(old.data);
        tenon_unload(&bytes);
    }
    free(plain.data);
    free(book->text.data);
    free(book);
}

static inline golden_book *golden_begin(void)
{
    golden_book *book = calloc(1, sizeof *book);
    if (!book) exit(1);
    return book;
}

static inline void golden_arguments(int argc, char **argv)
{
    golden_is_update = argc > 1 && strcmp(argv[1], "--update") == 0;
    golden_is_loud = argc > 1 && strcmp(argv[1], "--loud") == 0;
}

#endif  // TENON_TESTS_GOLDEN_H
