// read_and_print.c: open a model of any format, print what is in it, and list its bytes.
// SPDX-License-Identifier: MIT
//
// Run: read_and_print samples/crane.bplx

#include <tenon/bplx.h>
#include <tenon/files.h>

#include <inttypes.h>
#include <stdio.h>

// Counts that do not apply to the format are TENON_ABSENT.
static void print_count(const char *label, uint64_t count)
{
    if (count != TENON_ABSENT) printf("%-10s %" PRIu64 "\n", label, count);
}

// What every format has.
static void print_info(const tenon_doc *doc)
{
    tenon_info info;
    tenon_error err;
    if (!tenon_doc_info(doc, NULL, &info, &err)) return;
    printf("%s, version %s, dialect '%s'\n", doc->format->title, info.version, doc->dialect->name);
    print_count("vertices", info.vertices);
    print_count("triangles", info.triangles);
    print_count("joints", info.joints);
    for (uint32_t i = 0; i < info.clip_count; i++)
        printf("clip       %.*s, %g s\n", (int)info.clips[i].name.size, info.clips[i].name.data,
               info.clips[i].seconds);
    tenon_info_free(&info);
}

// What only this format has: the structs are those of its document.
static void print_bones(const tenon_bplx *model)
{
    for (uint32_t i = 0; i < model->bone_count; i++) {
        const tenon_bplx_bone *bone = &model->bones[i];
        printf("bone       %.*s, parent %" PRId32 "\n", (int)bone->name.size, bone->name.data,
               bone->parent_index);
    }
}

// Called for every part of the file, in file order. Arrays come as one part each.
static bool print_part(void *user, const tenon_part *part)
{
    int *lines_left = user;
    printf("0x%06" PRIx64 " %6" PRIu64 "  %-8s %s\n", part->offset, part->size,
           tenon_type_word(part->type), part->path);
    return --*lines_left > 0;  // false: enough.
}

int main(int argc, char **argv)
{
    if (argc != 2) return fprintf(stderr, "usage: read_and_print MODEL\n"), 2;
    tenon_error err;
    tenon_bytes bytes;
    if (!tenon_load(argv[1], NULL, &bytes, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    // The document borrows the bytes: big arrays point into them. Free the bytes last.
    tenon_doc *doc = tenon_read(bytes.data, bytes.size, NULL, &err);
    if (!doc) {
        fprintf(stderr, "%s:0x%06" PRIx64 ": %s: %s\n", argv[1], err.offset, err.path, err.message);
        tenon_unload(&bytes);
        return 1;
    }
    print_info(doc);
    const tenon_bplx *model = tenon_as_bplx(doc);  // NULL if it is another format.
    if (model) print_bones(model);
    int lines = 12;
    tenon_map(bytes.data, bytes.size, NULL, print_part, &lines, NULL);
    tenon_doc_free(doc);
    tenon_unload(&bytes);
    return 0;
}
