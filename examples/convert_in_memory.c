// convert_in_memory.c: convert a model without touching a disk, as a server or a plug-in would.
// SPDX-License-Identifier: MIT
//
// Run: convert_in_memory samples/crane.gpb bbmod

#include <tenon/files.h>
#include <tenon/scene.h>

#include <stdio.h>

// Called for everything that the new format cannot hold.
static void print_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    printf("%s: %s (%s)\n", tenon_loss_word(loss->kind), loss->feature, loss->why);
}

static tenon_memory *convert(const void *data, size_t size, const char *format, tenon_error *err)
{
    tenon_doc *doc = tenon_read(data, size, NULL, err);  // The format is found by the content.
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, err) : NULL;
    const tenon_export_opts opts = {
        .format = format, .name = "model", .events.on_loss = print_loss};
    tenon_memory *files = scene ? tenon_export_memory(scene, &opts, err) : NULL;
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return files;
}

int main(int argc, char **argv)
{
    tenon_bytes bytes;  // In place of what came over the network.
    tenon_error err;
    if (argc != 3) return fprintf(stderr, "usage: convert_in_memory MODEL FORMAT\n"), 2;
    if (!tenon_load(argv[1], NULL, &bytes, &err)) return fprintf(stderr, "%s\n", err.message), 1;
    tenon_memory *files = convert(bytes.data, bytes.size, argv[2], &err);
    tenon_unload(&bytes);
    if (!files) return fprintf(stderr, "%s: %s\n", argv[1], err.message), 1;
    // The model, and the files beside it: materials, clips.
    tenon_memory_file file;
    for (uint32_t i = 0; tenon_memory_at(files, i, &file); i++)
        printf("%s: %zu bytes\n", file.path, file.size);
    tenon_memory_free(files);
    return 0;
}
