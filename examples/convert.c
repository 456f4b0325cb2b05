// convert.c: convert any model that Tenon reads to glTF or OBJ.
// SPDX-License-Identifier: MIT
//
// Run: convert samples/crane.bplx crane.glb

#include <tenon/scene.h>

#include <stdio.h>
#include <string.h>

static void tell(void *user, const tenon_loss *loss)
{
    (void)user;
    printf("%s: %s: %s\n", tenon_loss_word(loss->kind), loss->feature, loss->why);
}

int main(int argc, char **argv)
{
    const char *dot = argc == 3 ? strrchr(argv[2], '.') : NULL;
    if (!dot) {
        fprintf(stderr, "usage: convert IN OUT.glb|OUT.gltf|OUT.obj\n");
        return 2;
    }
    tenon_error err = {0};
    tenon_scene_opts meaning = {.events.on_loss = tell};
    tenon_export_opts form = {.format = dot + 1, .model_path = argv[1], .events.on_loss = tell};
    tenon_write_opts replace = {.force = true};
    // With the files beside the model: materials, sidecars, and the clips of a BBMOD model.
    tenon_scene *scene = tenon_import_file(argv[1], NULL, &meaning, &err);
    bool ok = scene && tenon_export_file(scene, argv[2], &form, &replace, &err);
    if (!ok) fprintf(stderr, "%s: %s\n", argv[1], err.message);
    tenon_scene_free(scene);
    return ok ? 0 : 1;
}
