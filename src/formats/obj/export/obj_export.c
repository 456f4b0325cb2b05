// obj_export.c: exports the vertices and faces of a scene in one pose, and reports losses; buffered
// output of words and numbers for OBJ and MTL, and unique names.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"
#include "formats/obj/obj_format.h"

#include "core/math/math.h"
#include "core/text/tally.h"
#include "core/text/text.h"
#include "exchange/export_document.h"
#include "exchange/losses.h"
#include "scene/compare/match.h"
#include "scene/model/pieces.h"
#include "scene/pose/pose.h"

#include <string.h>

// -- Output

bool obj_has_failed(const obj_exporter *exporter)
{
    return exporter->export->err->code != TENON_OK;
}

void obj_flush(obj_exporter *exporter)
{
    if (exporter->used && !obj_has_failed(exporter))
        (void)tn_export_write(exporter->export, exporter->buffer, exporter->used);
    exporter->used = 0;
}

static void obj_write_bytes(obj_exporter *exporter, const char *bytes, size_t size)
{
    if (size > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    if (size > sizeof exporter->buffer) {
        if (!obj_has_failed(exporter)) (void)tn_export_write(exporter->export, bytes, size);
        return;
    }
    memcpy(exporter->buffer + exporter->used, bytes, size);
    exporter->used += size;
}

void obj_write(obj_exporter *exporter, const char *text)
{
    obj_write_bytes(exporter, text, strlen(text));
}

// Space for one number in the buffer.
static char *obj_room(obj_exporter *exporter)
{
    if (TN_NUMBER_MAX > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    return exporter->buffer + exporter->used;
}

static void obj_write_u64(obj_exporter *exporter, uint64_t value)
{
    exporter->used += tn_u64_text(value, obj_room(exporter));
}

// Poses of huge scenes can overflow; OBJ cannot store infinity. Negative zeros, which poses also
// produce, are written as 0.
void obj_write_f32(obj_exporter *exporter, float value)
{
    bool is_finite = value - value == 0;
    exporter->not_finite_count += !is_finite;
    exporter->used += tn_f32_text(is_finite && value != 0 ? value : 0, obj_room(exporter));
}

void obj_write_f32s(obj_exporter *exporter, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, values[i]);
    }
}

void obj_write_line(obj_exporter *exporter, const char *key, const char *name)
{
    obj_write(exporter, key);
    obj_write(exporter, " ");
    obj_write(exporter, name);
    obj_write(exporter, "\n");
}

void obj_write_row(obj_exporter *exporter, const char *key, const double *values, uint32_t count)
{
    obj_write(exporter, key);
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, tn_narrow(values[i], NULL));
    }
    obj_write(exporter, "\n");
}

// -- Words and names

static bool obj_is_control(const uint8_t *p, size_t size)
{
    if (size == 1) return p[0] < 0x20 || p[0] == 0x7F;
    return size == 2 && p[0] == 0xC2 && p[1] < 0xA0;
}

// '#' begins a comment, '\' joins lines, '/' would separate a folder in the name of the MTL file.
// Some programs also split a line at spaces beyond ASCII.
static bool obj_breaks_a_word(const uint8_t *p, size_t size)
{
    if (obj_is_control(p, size)) return true;
    if (size == 1) return p[0] == ' ' || p[0] == '#' || p[0] == '\\' || p[0] == '/';
    if (size == 2) return p[0] == 0xC2 && p[1] == 0xA0;
    if (size != 3) return false;
    uint32_t code = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

tenon_str obj_name_word(const obj_exporter *exporter, tenon_str name)
{
    char *out = tn_export_alloc(exporter->export, (uint64_t)name.size + 1, 1);
    if (!out) return (tenon_str){NULL, 0};
    uint32_t used = 0;
    for (size_t at = 0, step; at < name.size; at += step) {
        const char *text = name.data + at;
        step = tn_utf8_step(text, name.size - at);
        bool keep = step && !obj_breaks_a_word((const uint8_t *)text, step);
        if (keep) memcpy(out + used, text, step);
        if (!keep) out[used] = '_';
        used += keep ? (uint32_t)step : 1;
        step = step ? step : 1;
    }
    return (tenon_str){out, used};
}

void obj_write_text(obj_exporter *exporter, const char *text, size_t size)
{
    size_t start = 0;
    for (size_t at = 0, step; at < size; at += step) {
        step = tn_utf8_step(text + at, size - at);
        if (step && !obj_is_control((const uint8_t *)text + at, step)) continue;
        obj_write_bytes(exporter, text + start, at - start);
        obj_write(exporter, "_");
        step = step ? step : 1;
        start = at + step;
    }
    obj_write_bytes(exporter, text + start, size - start);
}

// The word for a name, or for `fallback` if it is empty, with a number added if it is not unique.
// NULL without memory.
static const char *obj_unique_name(obj_exporter *exporter, tn_name_set *names, tenon_str name,
                                   const char *fallback)
{
    bool has_name = name.size > 0;
    if (!has_name) name = (tenon_str){fallback, (uint32_t)strlen(fallback)};
    tenon_str word = obj_name_word(exporter, name);
    if (!word.data) return NULL;
    const char *text = tn_names_take(names, word, "");
    if (!text) (void)tn_names_fail(names, exporter->export->err);
    if (text && has_name) exporter->renamed_count += !tn_text_is(name, text);
    return text;
}

// Choose unique names, each one word, for all objects, materials and the MTL file.
static bool obj_choose_names(obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    tn_name_set objects = {.arena = export->arena}, materials = {.arena = export->arena};
    exporter->objects = tn_export_alloc(export, scene->node_count, sizeof *exporter->objects);
    if (!exporter->objects) return false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE) continue;
        tenon_str name = node->name.size ? node->name : scene->meshes[node->mesh].name;
        exporter->objects[i] = obj_unique_name(exporter, &objects, name, "object");
        if (!exporter->objects[i]) return false;
    }

    // The name of a sidecar is one word, because not all programs support blanks in file names.
    const char *name = export->opts->name && *export->opts->name ? export->opts->name : "model";
    tenon_str stem = obj_name_word(exporter, (tenon_str){name, (uint32_t)strlen(name)});
    if (!stem.data) return false;
    exporter->stem = stem;
    if (scene->material_count == 0) return true;
    exporter->library = tn_export_join(export, stem, ".mtl").data;
    exporter->materials =
        tn_export_alloc(export, scene->material_count, sizeof *exporter->materials);
    if (!exporter->library || !exporter->materials) return false;
    bool needs_default = false;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++)
            if (scene->meshes[i].primitives[k].material == TENON_NONE) needs_default = true;
    for (uint32_t i = 0; i < scene->material_count; i++) {
        tenon_str material = scene->materials[i].name;
        exporter->materials[i] = obj_unique_name(exporter, &materials, material, "material");
        if (!exporter->materials[i]) return false;
    }
    if (!needs_default) return true;
    exporter->default_material = obj_unique_name(exporter, &materials, (tenon_str){"", 0}, "none");
    return exporter->default_material != NULL;
}

// A primitive in the current pose.
typedef struct obj_posed_primitive {
    const tenon_primitive *p;
    const float *positions, *normals, *uvs, *colors;  // NULL if not written.
    bool is_mirrored;                                 // The pose reverses the winding.
    bool v_goes_down;                                 // V is written without flipping it.
} obj_posed_primitive;

// -- Objects

static bool obj_goes_on(const obj_exporter *exporter)
{
    return !obj_has_failed(exporter) && tn_export_goes_on(exporter->export, 1);
}

// Faces, lines or points. A corner is "7", "7/7", "7//7" or "7/7/7".
static void obj_write_pieces(obj_exporter *exporter, const obj_posed_primitive *posed)
{
    static const char *const keys[] = {"p", "l", "f"};
    uint32_t size = tn_piece_size(posed->p->mode), v[3];
    uint64_t count = tn_piece_count(posed->p);
    for (uint64_t i = 0; i < count && obj_goes_on(exporter); i++) {
        tn_piece_at(posed->p, i, v);
        // Strips contain many flat triangles, which connect rows.
        if (size == 3 && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])) {
            exporter->flat_count += posed->p->mode == TENON_TRIANGLES;
            continue;
        }
        obj_write(exporter, keys[size - 1]);
        for (uint32_t k = 0; k < size; k++) {
            uint32_t vertex = v[posed->is_mirrored ? size - 1 - k : k];
            obj_write(exporter, " ");
            obj_write_u64(exporter, exporter->positions + vertex + 1);
            if (posed->uvs || posed->normals) obj_write(exporter, "/");
            if (posed->uvs) obj_write_u64(exporter, exporter->uvs + vertex + 1);
            if (!posed->normals) continue;
            obj_write(exporter, "/");
            obj_write_u64(exporter, exporter->normals + vertex + 1);
        }
        obj_write(exporter, "\n");
    }
}

// A primitive is a group: "g boom_1", then its material.
static bool obj_write_primitive(obj_exporter *exporter, uint32_t node, uint32_t index)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    const tenon_primitive *p = &scene->meshes[scene->nodes[node].mesh].primitives[index];
    uint64_t count = p->vertex_count;
    // In OBJ points and lines have no normals, and points no texture coordinates.
    uint32_t size = tn_piece_size(p->mode), set = obj_uv_set(scene, p);
    bool has_normals = p->normals && size == 3;
    float *positions = tn_export_alloc(export, count, 3 * sizeof *positions);
    float *normals = has_normals ? tn_export_alloc(export, count, 3 * sizeof *normals) : NULL;
    if (!positions || (has_normals && !normals)) return false;
    if (count) tenon_pose_skin(exporter->pose, node, index, positions, normals);
    const obj_posed_primitive posed = {
        .p = p,
        .positions = positions,
        .normals = normals,
        .uvs = size > 1 && set != TENON_NONE ? p->uvs[set] : NULL,
        .colors = p->colors[0],
        .v_goes_down = obj_v_goes_down(export, p->material),
        .is_mirrored = size == 3 && tn_pose_mirrors(exporter->pose, node),
    };
    obj_write(exporter, "g ");
    obj_write(exporter, exporter->objects[node]);
    obj_write(exporter, "_");
    obj_write_u64(exporter, (uint64_t)index + 1);
    obj_write(exporter, "\n");
    if (exporter->library) {
        bool has_material = p->material != TENON_NONE;
        obj_write_line(exporter, "usemtl",
                       has_material ? exporter->materials[p->material]
                                    : exporter->default_material);
    }
    for (uint64_t i = 0; i < count && obj_goes_on(exporter); i++) {
        obj_write(exporter, "v");
        obj_write_f32s(exporter, posed.positions + 3 * i, 3);
        if (posed.colors) obj_write_f32s(exporter, posed.colors + 4 * i, 3);
        obj_write(exporter, "\n");
    }
    for (uint64_t i = 0; posed.uvs && i < count && obj_goes_on(exporter); i++) {
        float v = posed.uvs[2 * i + 1];  // V goes up in OBJ.
        const float uv[2] = {posed.uvs[2 * i], posed.v_goes_down ? v : 1 - v};
        obj_write(exporter, "vt");
        obj_write_f32s(exporter, uv, 2);
        obj_write(exporter, "\n");
    }
    for (uint64_t i = 0; posed.normals && i < count && obj_goes_on(exporter); i++) {
        obj_write(exporter, "vn");
        obj_write_f32s(exporter, posed.normals + 3 * i, 3);
        obj_write(exporter, "\n");
    }
    obj_write_pieces(exporter, &posed);
    exporter->positions += count;
    exporter->uvs += posed.uvs ? count : 0;
    exporter->normals += normals ? count : 0;
    exporter->done += count;
    if (obj_has_failed(exporter)) return false;
    return tn_export_expect(
        export, tn_pulse_report(&export->state->pulse, exporter->done, exporter->total));
}

static bool obj_write_objects(obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    if (!tn_export_begin(export, "")) return false;
    obj_write(exporter, "# Written by Tenon. Metres, Y is up, front faces counter-clockwise.\n");
    if (export->opts->clip) {
        obj_write(exporter, "# Clip '");
        obj_write_text(exporter, export->opts->clip, strlen(export->opts->clip));
        obj_write(exporter, "' at ");
        obj_write_f32(exporter, tn_narrow(export->opts->seconds, NULL));
        obj_write(exporter, " seconds.\n");
    }
    if (exporter->total == 0) obj_write(exporter, "# There is nothing to see in this scene.\n");
    if (exporter->library) obj_write_line(exporter, "mtllib", exporter->library);
    for (uint32_t i = 0; i < scene->node_count && !obj_has_failed(exporter); i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        obj_write_line(exporter, "\no", exporter->objects[i]);
        tn_mark mark = tn_arena_mark(export->arena);
        for (uint32_t k = 0; k < scene->meshes[scene->nodes[i].mesh].primitive_count; k++) {
            bool ok = obj_write_primitive(exporter, i, k);
            tn_arena_rewind(export->arena, mark);
            if (!ok) return false;
        }
    }
    obj_flush(exporter);
    return tn_export_end(export);
}

// -- Losses

static const tn_limit obj_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_SHARED_MESHES},
    {.feature = TN_HAS_TANGENTS},
    {.feature = TN_HAS_COLOR_SETS, .most = 1, .why = "OBJ supports only one set"},
    {.feature = TN_HAS_DOUBLE_SIDES, .why = "OBJ cannot store which sides are visible"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_OCCLUSION),
     .name = "occlusion textures"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_LIGHT_MAP),
     .name = "light maps"},
    {.feature = TN_HAS_PICTURE_NAMES},
    {.feature = TN_HAS_SCENE_NAME},
    {.feature = TN_HAS_SKINS, .why = "OBJ has no skins: vertices are written in the current pose"},
    {.feature = TN_HAS_MORPHS, .why = "OBJ stores only one pose"},
    {.feature = TN_HAS_ANIMATIONS, .why = "OBJ stores only one pose"},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
    {.feature = TN_HAS_EXTRAS},
};

static void obj_report_primitives(const tn_export *export)
{
    static const char list[] = "primitives";
    const tenon_scene *scene = export->scene;
    tn_tally uvs = {0}, textures = {0}, normals = {0}, alpha = {0};
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count; k++) {
            const tenon_primitive *p = &scene->meshes[i].primitives[k];
            uint32_t sets = 0;
            for (uint32_t set = 0; set < TENON_UV_SETS; set++) sets += p->uvs[set] != NULL;
            bool has_alpha = false;
            for (uint64_t v = 0; p->colors[0] && v < p->vertex_count && !has_alpha; v++)
                has_alpha = p->colors[0][4 * v + 3] != 1;
            // A texture uses other texture coordinates than those that are written.
            bool has_other_uvs = false;
            uint32_t written = obj_uv_set(scene, p);
            bool is_textured = p->material != TENON_NONE && written != TENON_NONE;
            for (int slot = 0; is_textured && slot < TENON_SLOT_COUNT && !has_other_uvs; slot++) {
                const tenon_texture *t = &scene->materials[p->material].textures[slot];
                has_other_uvs = t->image != TENON_NONE && t->uv_set != written;
            }
            tn_tally_in(&uvs, sets > (p->mode == TENON_POINTS ? 0 : 1), "meshes", i, list, k);
            tn_tally_in(&textures, has_other_uvs, "meshes", i, list, k);
            tn_tally_in(&normals, p->normals && tn_piece_size(p->mode) < 3, "meshes", i, list, k);
            tn_tally_in(&alpha, has_alpha, "meshes", i, list, k);
        }
    tn_export_report_tally(export, &uvs, TENON_DROPPED, "further texture coordinates",
                           "OBJ supports one set, for lines and triangles");
    tn_export_report_tally(export, &textures, TENON_APPROXIMATED, "textures",
                           "they use the texture coordinates of another texture");
    tn_export_report_tally(export, &normals, TENON_DROPPED, "normals of points and lines",
                           "OBJ supports normals only for triangles");
    tn_export_report_tally(export, &alpha, TENON_DROPPED, "alpha of vertex colors",
                           "OBJ stores only red, green and blue");
}

static void obj_report_export_losses(const obj_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = export->scene;
    tn_tally nodes = {0}, mesh_names = {0};
    bool needs_material = false;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        const tenon_mesh *mesh = node->mesh == TENON_NONE ? NULL : &scene->meshes[node->mesh];
        // The transform of a node with a skinned mesh is ignored.
        bool is_kept =
            mesh && node->parent == TENON_NONE && (node->skin != TENON_NONE || tn_is_unmoved(node));
        tn_tally_at(&nodes, !is_kept, "nodes", i);
        if (!mesh) continue;
        // Objects have the names of nodes. The name of a mesh is used only if its node has none.
        bool is_renamed =
            node->name.size && mesh->name.size && !tn_text_equal(mesh->name, node->name);
        tn_tally_at(&mesh_names, is_renamed, "meshes", node->mesh);
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            if (mesh->primitives[k].material == TENON_NONE) needs_material = true;
    }
    tn_export_report_tally(export, &nodes, TENON_DROPPED, "nodes",
                           "OBJ has no hierarchy: transforms are applied to the vertices");
    obj_report_primitives(export);
    tn_export_report(export, TENON_DROPPED, "flat triangles", exporter->flat_count, NULL,
                     "two of their corners use the same vertex");
    tn_export_report(export, TENON_APPROXIMATED, "numbers", exporter->not_finite_count, NULL,
                     "too large: set to 0");
    tn_tally alpha = {0}, shininess = {0}, rotations = {0}, wraps = {0};
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const tenon_material *m = &scene->materials[i];
        bool has_texture = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
        bool has_rotation = false, has_other_wrap = false;
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            const tenon_texture *t = &m->textures[slot];
            if (t->image == TENON_NONE) continue;
            if (t->rotation != 0) has_rotation = true;
            if (t->wrap[0] != t->wrap[1] || t->wrap[0] == TENON_MIRROR) has_other_wrap = true;
        }
        tn_tally_at(&alpha, m->alpha == TENON_MASK || (m->alpha == TENON_BLEND && has_texture),
                    "materials", i);
        tn_tally_at(&shininess, m->is_classic && m->shininess > 1000, "materials", i);
        tn_tally_at(&rotations, has_rotation, "materials", i);
        tn_tally_at(&wraps, has_other_wrap, "materials", i);
    }
    tn_export_report_tally(export, &alpha, TENON_APPROXIMATED, "alpha of textures",
                           "OBJ stores only one alpha for the whole material");
    tn_export_report_tally(export, &shininess, TENON_APPROXIMATED, "shininess",
                           "clamped to 1000, the maximum in OBJ");
    tn_export_report_tally(export, &rotations, TENON_DROPPED, "rotations of textures",
                           "OBJ supports only scale and offset of textures");
    tn_export_report_tally(export, &wraps, TENON_APPROXIMATED, "edges of textures",
                           "OBJ supports only repeat or clamp, the same in both directions");
    // Without `usemtl`, a primitive would get the material of the previous one.
    tn_export_report(export, TENON_SYNTHESIZED, "materials", exporter->library && needs_material,
                     NULL, "added a default material to meshes without one");
    tn_report_limits(export, "OBJ", obj_limits, sizeof obj_limits / sizeof *obj_limits);
    tn_export_report_tally(export, &mesh_names, TENON_DROPPED, "names of meshes",
                           "replaced by the names of the nodes");
    tn_export_report(export, TENON_APPROXIMATED, "names", exporter->renamed_count, NULL,
                     "changed: each must be one word, and unique");
}

bool obj_export(const tn_export *export)
{
    const tenon_scene *scene = export->scene;
    const char *clip = export->opts->clip;
    uint32_t animation = clip ? tn_find_clip(scene, clip) : TENON_NONE;
    if (clip && animation == TENON_NONE)
        return tn_error(export->err, TENON_ERR_VALUE, "the clip '%s' does not exist",
                        tn_show((tenon_str){clip, (uint32_t)strlen(clip)}, 64).text);
    obj_exporter *exporter = tn_export_alloc(export, 1, sizeof *exporter);
    if (!exporter) return false;
    exporter->export = export;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[i].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count; k++)
            exporter->total += mesh->primitives[k].vertex_count;
    }
    exporter->pose = tenon_pose_new(scene, &export->opts->allocator, export->err);
    if (!exporter->pose) return false;
    tenon_pose_set(exporter->pose, animation, export->opts->seconds);
    bool ok =
        obj_choose_names(exporter) && obj_export_materials(exporter) && obj_write_objects(exporter);
    tenon_pose_free(exporter->pose);
    if (ok) obj_report_export_losses(exporter);
    return ok;
}
