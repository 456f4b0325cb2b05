// edit_and_save.c: make a BPLX model twice as tall, give it one bone more, and save it.
// SPDX-License-Identifier: MIT
//
// Run: edit_and_save samples/crane.bplx tall_crane.bplx

#include <tenon/bplx.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Arrays of a document are bytes in the file's order, and constant, since they may be the file
// itself. tenon_span_set_f32() gives the document a changed copy.
static bool make_taller(tenon_bplx *model)
{
    uint64_t count = model->positions.count;
    float *positions = malloc(3 * sizeof *positions * (size_t)count + 1);
    bool ok = positions && tenon_span_f32(&model->positions, "", 0, count, positions);
    for (uint64_t i = 0; ok && i < count; i++) positions[3 * i + 1] *= 2;  // The y of x, y, z.
    ok = ok && tenon_span_set_f32(&model->base, &model->positions, "", 0, count, positions);
    free(positions);
    return ok;
}

// Everything else is plain data.
static bool add_bone(tenon_bplx *model)
{
    uint32_t count = model->bone_count;
    tenon_bplx_bone *bones = tenon_doc_alloc(&model->base, (count + 1) * sizeof *bones);
    if (!bones) return false;
    if (count) memcpy(bones, model->bones, count * sizeof *bones);
    bones[count] = (tenon_bplx_bone){.name = {"lantern", 7},
                                     .parent_index = count ? 0 : -1,
                                     .rest_position = {0, 8, 0},
                                     .rest_rotation = {0, 0, 0, 1},
                                     .rest_scale = {1, 1, 1}};
    model->bones = bones;
    model->bone_count = count + 1;
    return true;
}

static void print_error(const tenon_error *err)
{
    fprintf(stderr, "%s%s%s\n", err->path, err->path[0] ? ": " : "", err->message);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: edit_and_save IN.bplx OUT.bplx\n");
        return 2;
    }
    tenon_error err;
    tenon_read_opts opts = {.format = "bplx"};  // Every zero is a default.
    tenon_doc *doc = tenon_read_file(argv[1], &opts, &err);
    if (!doc) {
        print_error(&err);
        return 1;
    }
    // tenon_finalize() updates counts and sizes that the file repeats. tenon_write_file() refuses a
    // document that is still inconsistent, and then leaves an old file alone.
    tenon_bplx *model = tenon_as_bplx(doc);
    tenon_write_opts replace = {.force = true};
    int status = 1;
    if (!make_taller(model) || !add_bone(model)) {
        fprintf(stderr, "out of memory\n");
    } else if (!tenon_finalize(doc, &err) || !tenon_write_file(doc, argv[2], &replace, &err)) {
        print_error(&err);
    } else {
        printf("%s: %u bones\n", argv[2], (unsigned)model->bone_count);
        status = 0;
    }
    tenon_doc_free(doc);
    return status;
}
