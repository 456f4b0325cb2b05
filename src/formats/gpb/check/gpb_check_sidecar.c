// gpb_check_sidecar.c: checks the property files next to a bundle.
// SPDX-License-Identifier: MIT

#include "formats/gpb/check/gpb_rules.h"
#include "formats/gpb/sidecar/gpb_properties.h"

#include "core/files/file.h"

#include <inttypes.h>
#include <string.h>

#define GPB_SAMPLERS_MOST 16  // Checked for each material.

// -- Textures

// The samplers of a material that a model uses.
typedef struct gpb_texture_check {
    const gpb_checker *checker;
    uint32_t node_index, index;  // The node and the number of the material in its model.
    uint32_t count;
} gpb_texture_check;

// Paths start at the engine's resource folder, which contains the model's folder. So a texture is
// searched for under its whole path, and then without its first folders.
static bool gpb_check_sidecar_find_texture(tn_check *check, tenon_str path)
{
    while (path.size) {
        if (tn_check_look(check, path) == TN_PLACE_FOUND) return true;
        const char *slash = memchr(path.data, '/', path.size);
        uint32_t skip = slash ? (uint32_t)(slash - path.data) + 1 : path.size;
        path = (tenon_str){path.data + skip, path.size - skip};
    }
    return false;
}

static bool gpb_check_sidecar_sampler(void *user, const tenon_gpb_properties *sampler)
{
    gpb_texture_check *search = user;
    tn_check *check = search->checker->check;
    tenon_str path = tenon_gpb_property_value(sampler, "path");
    bool is_constant = path.size && path.data[0] == '@';  // Only the engine can resolve it.
    if (path.size && !is_constant && !gpb_check_sidecar_find_texture(check, path))
        tn_found(check, GPB_TEXTURE_MISSING,
                 gpb_check_node_path(search->checker, search->node_index,
                                     tn_path("model.materials[%" PRIu32 "]", search->index)),
                 "'%s', in line %" PRIu32 " of the .material file, was not found near the bundle",
                 gpb_check_show(path).text, sampler->line);
    return ++search->count < GPB_SAMPLERS_MOST;
}

// -- Files

static tenon_gpb_properties *gpb_check_sidecar_open(tn_check *check, const char *extension)
{
    tenon_read_opts read = {.allocator = check->opts->allocator, .files = check->opts->files};
    tenon_error err;
    tenon_gpb_properties *file =
        tenon_gpb_properties_beside(check->opts->model_path, extension, &read, &err);
    if (tn_is_outage(&err))
        tn_check_fail(check, &err);
    else if (err.code != TENON_OK)
        tn_found(check, GPB_SIDE_SYNTAX, tn_path("%s", ""), "line %" PRIu64 " of the .%s file: %s",
                 err.line, extension, err.message);
    return file;
}

// Search for the textures of each material once, where it is first used.
static void gpb_check_sidecar_materials(const gpb_checker *checker, const gpb_directory *materials)
{
    bool *is_done = tn_check_alloc(checker->check, materials->count, sizeof *is_done);
    if (!is_done) return;
    for (uint32_t node_index = 0; node_index < checker->index.tree.count; node_index++) {
        const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
        for (uint32_t i = 0; i < model->material_count; i++) {
            tenon_str name = model->materials[i].name;
            if (name.size == 0) continue;
            uint32_t found = gpb_properties_directory_find(materials, name);
            if (found == TENON_NONE) {
                tn_found(checker->check, GPB_MATERIAL_MISSING,
                         gpb_check_node_path(checker, node_index,
                                             tn_path("model.materials[%" PRIu32 "]", i)),
                         "'%s' is not in the .material file", gpb_check_show(name).text);
            } else if (!is_done[found]) {
                is_done[found] = true;
                tenon_gpb_properties_each(materials->blocks[found], "sampler",
                                          gpb_check_sidecar_sampler,
                                          &(gpb_texture_check){checker, node_index, i, 0});
            }
        }
    }
}

static void gpb_check_sidecar_clip(void *user, const gpb_clip *clip)
{
    const char *why = NULL;
    if (!(clip->frame_count > 0))
        why = "its animation has no frameCount";
    else if (!(clip->begin >= 0 && clip->end > clip->begin))
        why = "it does not end after its start";
    else if (!(clip->end <= clip->frame_count))
        why = "it ends after its animation";
    if (why)
        tn_found(user, GPB_CLIP, tn_path("%s", ""),
                 "clip '%s' in line %" PRIu32 " of the .animation file: %s",
                 gpb_check_show(clip->name).text, clip->line, why);
}

void gpb_check_sidecars(const gpb_checker *checker)
{
    tn_check *check = checker->check;
    if (!check->opts->model_path) return;
    uint64_t named = 0;
    for (uint32_t node_index = 0; node_index < checker->index.tree.count; node_index++) {
        const tenon_gpb_model *model = &checker->index.tree.nodes[node_index].node->model;
        for (uint32_t i = 0; i < model->material_count; i++)
            named += model->materials[i].name.size > 0;
    }
    tenon_gpb_properties *file = named ? gpb_check_sidecar_open(check, "material") : NULL;
    gpb_directory materials;
    if (file && gpb_properties_directory_make(&materials, file, "material", check->arena, NULL))
        gpb_check_sidecar_materials(checker, &materials);
    else if (named && !file)
        tn_found(check, GPB_MATERIAL_FILE, tn_path("%s", ""),
                 "%" PRIu64 " %s named, but there is no readable .material file", named,
                 named == 1 ? "material is" : "materials are");
    tenon_gpb_properties_free(file);
    file = gpb_check_sidecar_open(check, "animation");
    if (file) gpb_sidecar_each_clip(file, gpb_check_sidecar_clip, check);
    tenon_gpb_properties_free(file);
}
