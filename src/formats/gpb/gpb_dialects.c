// gpb_dialects.c: upgrades and downgrades bundles, and reports what is lost.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/math.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_DEGREE 0.017453292519943295  // In radians.
#define GPB_NEVER  1.0e6                 // The range of a light that does not fade.

// -- Animations

static bool gpb_change_times(tenon_gpb *doc, bool to_float, const tn_change *change)
{
    uint64_t rounded = 0;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        tenon_gpb_animations all = gpb_animations_of(&doc->blocks[b]);
        for (uint32_t i = 0; i < all.animation_count; i++)
            for (uint32_t k = 0; k < all.animations[i].channel_count; k++) {
                tenon_span *times = &all.animations[i].channels[k].key_times;
                uint8_t *data = tn_change_alloc(change, times->count, 4, "key times");
                if (!data) return false;
                for (uint64_t t = 0; t < times->count; t++) {
                    const uint8_t *old = times->data + 4 * t;
                    uint32_t whole = to_float ? tn_load32(old, false) : 0;
                    float time = to_float ? (float)whole : tn_load_f32(old, false);
                    // Rounded to whole milliseconds and clamped to the range of a u32.
                    if (!to_float && time >= 4294967040.0f)
                        whole = UINT32_MAX;
                    else if (!to_float && time > 0)
                        whole = (uint32_t)((double)time + 0.5);
                    rounded += (double)time != (double)whole;
                    tn_copy_numbers(data + 4 * t, to_float ? (void *)&time : (void *)&whole, 1, 4,
                                    false);
                }
                times->data = data;
                times->layout = to_float ? &tn_layout_f32 : &tn_layout_u32;
            }
    }
    tn_change_report(change, TENON_APPROXIMATED, "key times", rounded,
                     to_float ? "rounded: a float cannot hold every whole number of milliseconds"
                              : "rounded to whole milliseconds");
    return true;
}

// Collect all animations, as one block or each as a block after the others. A bare animation has
// the id of its reference as its name, which must be unique.
static bool gpb_move_animations(tenon_gpb *doc, bool to_bare, const tn_change *change)
{
    static const tenon_str name = {"__Animations__", 14};
    tn_arena *arena = change->arena;
    uint64_t total = 0, renamed = 0;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        total += gpb_animations_of(&doc->blocks[b]).animation_count;
        total += doc->blocks[b].kind == TENON_GPB_CHANNEL;
    }
    if (total > UINT32_MAX) return tn_error(change->err, TENON_ERR_LIMIT, "too many animations");
    uint32_t more = to_bare ? (uint32_t)total : 1, count = 0, kept = 0;
    tenon_gpb_animation *all =
        tn_arena_alloc_or_fail(arena, total, sizeof *all, "animations", change->err);
    if (!all) return false;
    gpb_table table = gpb_table_begin(doc, arena, more, change->err);
    if (table.failed) return false;
    tenon_gpb_block *blocks = tn_arena_alloc_or_fail(arena, (uint64_t)doc->block_count + more,
                                                     sizeof *blocks, "blocks", change->err);
    if (!blocks) return false;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        tenon_gpb_block *block = &doc->blocks[b];
        tenon_gpb_animations own = gpb_animations_of(block);
        bool is_channel = block->kind == TENON_GPB_CHANNEL;
        if (!is_channel && block->kind != TENON_GPB_ANIMATION &&
            block->kind != TENON_GPB_ANIMATIONS) {
            blocks[kept++] = *block;
            continue;
        }
        if (is_channel)
            all[count++] = (tenon_gpb_animation){.id = gpb_id_of(doc, block->reference),
                                                 .channel_count = 1,
                                                 .channels = &block->body.channel};
        for (uint32_t i = 0; i < own.animation_count; i++) all[count++] = own.animations[i];
        gpb_table_drop(&table, block->reference);
    }
    if (!to_bare && count)
        blocks[kept++] =
            (tenon_gpb_block){.kind = TENON_GPB_ANIMATIONS,
                              .reference = gpb_table_add(&table, name, TENON_GPB_ANIMATIONS),
                              .body.animations = {count, all}};
    for (uint32_t i = 0; to_bare && i < count; i++) {
        uint32_t reference = gpb_table_add(&table, all[i].id, TENON_GPB_ANIMATIONS);
        if (reference == TENON_NONE) return false;
        renamed += !tn_text_equal(all[i].id, doc->references[reference].id);
        all[i].id = doc->references[reference].id;
        blocks[kept++] = (tenon_gpb_block){
            .kind = TENON_GPB_ANIMATIONS, .reference = reference, .body.animations = {1, &all[i]}};
    }
    doc->blocks = blocks;
    doc->block_count = kept;
    tn_change_report(change, TENON_APPROXIMATED, "animation names", renamed,
                     "a number was appended: each animation object needs a unique name");
    return gpb_table_end(&table);
}

// -- Blocks

static void gpb_drop_entry(void *user, uint32_t *entry)
{
    if (*entry) gpb_table_drop(user, *entry - 1);
    *entry = 0;
}

// Remove objects and references that only dialect "document" has, and order the others as the
// encoder does: meshes first, with counts, except in bundles with fonts.
static bool gpb_leave_document(tenon_gpb *doc, const tn_change *change)
{
    uint32_t kept = 0, fonts = 0;
    uint64_t effects = 0, others = 0;
    gpb_tree tree;
    tenon_gpb_block *blocks = tn_change_alloc(change, doc->block_count, sizeof *blocks, "blocks");
    if (!blocks || !gpb_tree_make(&tree, doc, change->arena, change->err)) return false;
    gpb_table table = gpb_table_begin(doc, change->arena, 0, change->err);
    if (table.failed) return false;
    gpb_each_entry(doc, &tree, gpb_drop_entry, &table);
    for (int objects = 0; objects < 2; objects++) {
        for (uint32_t b = 0; b < doc->block_count; b++) {
            const tenon_gpb_block *block = &doc->blocks[b];
            if ((block->kind != TENON_GPB_MESH) != (objects == 1)) continue;
            bool is_effect = block->kind == TENON_GPB_EFFECT;
            bool is_other = !is_effect && gpb_is_document_type(block->kind);
            effects += is_effect;
            others += is_other;
            fonts += block->kind == TENON_GPB_FONT;
            if (is_effect || is_other)
                gpb_table_drop(&table, block->reference);
            else
                blocks[kept++] = *block;
        }
    }
    doc->blocks = blocks;
    doc->block_count = kept;
    doc->end_counts = fonts ? 0 : TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS;
    tn_change_report(change, TENON_DROPPED, "effects", effects,
                     "only the 'document' dialects have shaders");
    tn_change_report(change, TENON_DROPPED, "objects", others,
                     "only the 'document' dialects have materials, models, skins and mesh parts as "
                     "separate objects");
    return gpb_table_end(&table);
}

// Dialect "document" has materials and animations in the table. Add them, by name and id, if no
// other object has that id.
static bool gpb_add_entries(tenon_gpb *doc, const tn_change *change)
{
    gpb_tree tree;
    uint64_t more = 0, lost = 0;
    if (!gpb_tree_make(&tree, doc, change->arena, change->err)) return false;
    for (uint32_t i = 0; i < tree.count; i++) more += tree.nodes[i].node->model.material_count;
    for (uint32_t b = 0; b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_ANIMATIONS)
            more += doc->blocks[b].body.animations.animation_count;
    if (more > UINT32_MAX) return tn_error(change->err, TENON_ERR_LIMIT, "too many objects");
    gpb_table table = gpb_table_begin(doc, change->arena, (uint32_t)more, change->err);
    for (uint32_t i = 0; i < tree.count && !table.failed; i++) {
        tenon_gpb_model *model = &tree.nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count && !table.failed; k++) {
            tenon_gpb_material *material = &model->materials[k];
            bool is_free = gpb_table_can_add(&table, material->name);
            lost += material->name.size && !is_free;
            if (is_free)
                material->entry = 1 + gpb_table_add(&table, material->name, TENON_GPB_MATERIAL);
            material->name = (tenon_str){"", 0};
        }
    }
    for (uint32_t b = 0; b < doc->block_count && !table.failed; b++) {
        const tenon_gpb_animations *all = &doc->blocks[b].body.animations;
        if (doc->blocks[b].kind != TENON_GPB_ANIMATIONS) continue;
        for (uint32_t i = 0; i < all->animation_count && !table.failed; i++)
            if (gpb_table_can_add(&table, all->animations[i].id))
                all->animations[i].entry =
                    1 + gpb_table_add(&table, all->animations[i].id, TENON_GPB_ANIMATION);
    }
    tn_change_report(change, TENON_DROPPED, "material names", lost,
                     "ids must be unique, and another object already has this id");
    return !table.failed && gpb_table_end(&table);
}

// -- Fonts

// In a bitmap, nearly all texels are empty or full. A distance field has many values between. Late
// encoders of 1.2 wrote distance fields, although the version has no field for the format.
bool gpb_looks_like_distance_field(const tenon_gpb_font_size *size)
{
    uint64_t between = 0;
    for (uint64_t i = 0; i < size->texels.size; i++)
        between += size->texels.data[i] > 16 && size->texels.data[i] < 240;
    return between * 20 > size->texels.size * 3;
}

// Versions before 1.4 have one size. Keep the largest, because it can be scaled down.
static bool gpb_keep_one_size(tenon_gpb_font *font, const tn_change *change)
{
    if (font->size_count == 0) {
        bool has_advance = (change->to->flags & TENON_GPB_FONT_ADVANCE) != 0;
        font->sizes = tn_change_alloc(change, 1, sizeof *font->sizes, "font sizes");
        if (!font->sizes) return false;
        font->sizes[0] = (tenon_gpb_font_size){.charset = {"", 0},
                                               .glyphs.layout = has_advance ? &gpb_glyph_layout_1_5
                                                                            : &gpb_glyph_layout,
                                               .texels.layout = &tn_layout_u8};
        font->size_count = 1;
        tn_change_report(change, TENON_SYNTHESIZED, "font sizes", 1,
                         "this version needs one, and the font has none");
        return true;
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i < font->size_count; i++)
        if (font->sizes[i].size > font->sizes[best].size) best = i;
    tn_change_report(change, TENON_DROPPED, "font sizes", font->size_count - 1,
                     "versions before 1.4 have one size for each font: the largest is kept");
    font->sizes = &font->sizes[best];
    font->size_count = 1;
    return true;
}

// Change a font, with its glyphs and sizes, to the dialect of the change.
static bool gpb_change_font(tenon_gpb_font *font, uint32_t gained, uint32_t lost,
                            const tn_change *change)
{
    uint64_t metrics = 0, fields = 0, guessed = 0;
    bool gains_format = (gained & TENON_GPB_FONT_FORMAT) != 0;
    if (lost & TENON_GPB_FONT_UNICODE)
        tn_change_report(change, TENON_DROPPED, "outline fonts", font->unicode != 0,
                         "only the dialect of a fork has fonts with outlines");
    font->unicode = 0;
    bool has_sizes = (change->to->flags & TENON_GPB_FONT_SIZES) != 0;
    if (!has_sizes && !gpb_keep_one_size(font, change)) return false;
    // A glyph starts with code and width and ends with its place in the texture. Version 1.5 has
    // metrics between them.
    bool gains = (gained & TENON_GPB_FONT_ADVANCE) != 0;
    bool loses = (lost & TENON_GPB_FONT_ADVANCE) != 0;
    for (uint32_t i = 0; i < font->size_count && (gains || loses); i++) {
        tenon_gpb_font_size *size = &font->sizes[i];
        const tenon_layout *layout = gains ? &gpb_glyph_layout_1_5 : &gpb_glyph_layout;
        tenon_span glyphs = {.count = size->glyphs.count, .layout = layout};
        uint8_t *to = tn_change_alloc(change, glyphs.count, (size_t)layout->stride, "glyphs");
        if (!to) return false;
        glyphs.data = to;
        glyphs.size = glyphs.count * layout->stride;
        for (uint64_t k = 0; k < glyphs.count; k++, to += layout->stride) {
            const uint8_t *old = tn_span_record(&size->glyphs, k);
            memcpy(to, old, 8);
            if (gains) {
                memcpy(to + 12, old + 4, 4);  // The advance is the width.
                memcpy(to + 16, old + 8, 16);
            } else {
                memcpy(to + 8, old + 16, 16);
                metrics += tn_load32(old + 8, false) != 0 || memcmp(old + 4, old + 12, 4) != 0;
            }
        }
        metrics += gains ? glyphs.count : 0;
        size->glyphs = glyphs;
    }
    if (gains)
        tn_change_report(change, TENON_DEFAULTED, "glyph metrics", metrics,
                         "set to bearing 0 and the width of the glyph as advance");
    else
        tn_change_report(change, TENON_DROPPED, "glyph metrics", metrics,
                         "versions before 1.5 have no bearing and no advance");
    for (uint32_t i = 0; i < font->size_count; i++) {
        fields += font->sizes[i].format != 0;
        if (!gains_format) continue;
        font->sizes[i].format = gpb_looks_like_distance_field(&font->sizes[i]);
        guessed += font->sizes[i].format;
    }
    if (lost & TENON_GPB_FONT_FORMAT)
        tn_change_report(change, TENON_DROPPED, "font formats", fields,
                         "versions before 1.3 cannot mark a font as a distance field");
    if (!gains_format) return true;
    tn_change_report(change, TENON_SYNTHESIZED, "font formats", guessed,
                     "guessed from the texture, which is a distance field");
    tn_change_report(change, TENON_DEFAULTED, "font formats", font->size_count - guessed,
                     "a font without a format is a bitmap");
    return true;
}

// -- Models

// A change of all models, with counts for the report.
typedef struct gpb_model_update {
    const tn_change *change;
    gpb_index index;
    uint32_t gained, lost;  // Flags of dialects.
    uint64_t lights, roots, synthesized, parameters, effects, bounds, xrefs, fillers;
} gpb_model_update;

// Early files store the cone as COLLADA does: the full angle in degrees.
static void gpb_change_light(gpb_model_update *update, tenon_gpb_light *light)
{
    if (light->light_type != 2 && light->light_type != 3) return;
    if (!((update->gained | update->lost) & TENON_GPB_LIGHT_ATTENUATION)) return;
    update->lights++;
    if (update->lost & TENON_GPB_LIGHT_ATTENUATION) {
        double distance = gpb_faded_distance(light->attenuation);
        if (distance == 0) distance = 1;
        light->range = tn_narrow(distance < GPB_NEVER ? distance : GPB_NEVER, NULL);
        light->outer_angle = tn_narrow(light->falloff_angle * GPB_DEGREE / 2, NULL);
        light->inner_angle =
            light->falloff_exponent > 0 ? light->outer_angle / 2 : light->outer_angle;
        return;
    }
    light->attenuation[0] = 1;
    light->attenuation[1] = 0;
    light->attenuation[2] =
        tn_narrow((GPB_FADED - 1) / ((double)light->range * light->range), NULL);
    light->falloff_angle = tn_narrow(light->outer_angle * 2 / GPB_DEGREE, NULL);
    light->falloff_exponent = light->inner_angle < light->outer_angle ? 1.0f : 0.0f;
}

static void gpb_change_skin(gpb_model_update *update, tenon_gpb_model *model, uint8_t *marks)
{
    const gpb_index *index = &update->index;
    tenon_gpb_skin *skin = &model->skin;
    // The engine's rule: the topmost ancestor of the first joint, or itself, that is also a joint.
    // The first pass marks the joints and uses the marks, the second removes them.
    tenon_str root =
        skin->joint_count ? gpb_xref_id(index->doc, skin->joints[0]) : (tenon_str){"", 0};
    uint32_t top = gpb_find_node(index, root);
    for (int mark = 1; mark >= 0 && top != TENON_NONE; mark--) {
        for (uint32_t i = 0; i < skin->joint_count; i++) {
            uint32_t joint = gpb_find_node(index, gpb_xref_id(index->doc, skin->joints[i]));
            if (joint != TENON_NONE) marks[joint] = (uint8_t)mark;
        }
        for (uint32_t at = top; mark && at != TENON_NONE; at = index->tree.nodes[at].parent)
            if (marks[at]) top = at;
    }
    if (top != TENON_NONE) root = gpb_id_of(index->doc, index->tree.nodes[top].node->reference);
    if (update->gained & TENON_GPB_SKIN_ROOT) skin->root_joint = root;
    if (update->lost & TENON_GPB_SKIN_ROOT) update->roots += !tn_text_equal(root, skin->root_joint);
    if (!(update->gained & TENON_GPB_DOCUMENT)) return;
    const tenon_gpb_mesh *mesh = gpb_find_mesh(index, model->mesh);
    update->bounds++;
    if (mesh) skin->bounds = mesh->bounds;
}

static bool gpb_change_materials(gpb_model_update *update, tenon_gpb_model *model)
{
    for (uint32_t i = 0; i < model->material_count; i++) {
        tenon_gpb_material *material = &model->materials[i];
        bool to_document = (update->gained & TENON_GPB_DOCUMENT) != 0;
        if (to_document && !material->effect.data) material->effect = (tenon_str){"", 0};
        if (!(update->lost & TENON_GPB_DOCUMENT)) continue;
        update->parameters += material->parameter_count;
        update->effects += material->effect.size > 0;
        *material = (tenon_gpb_material){
            .entry = material->entry,
            .name =
                gpb_id_of(update->index.doc, material->entry ? material->entry - 1 : TENON_NONE),
            .effect = {"", 0}};
        if (material->name.size) continue;
        char name[32];
        int size = snprintf(name, sizeof name, "unnamed_%" PRIu64, update->synthesized++);
        char *copy = tn_change_alloc(update->change, (uint64_t)size + 1, 1, "a material name");
        if (!copy) return false;
        memcpy(copy, name, (size_t)size + 1);
        material->name = (tenon_str){copy, (uint32_t)size};
    }
    return true;
}

// The engine supports only "#id".
static bool gpb_change_xref(gpb_model_update *update, tenon_str *xref)
{
    const tenon_gpb *doc = update->index.doc;
    tenon_str id = gpb_xref_id(doc, *xref);
    if (!(update->lost & TENON_GPB_DOCUMENT) || id.size == 0 || xref->data[0] == '#') return true;
    if (gpb_xref_file(doc, *xref).size) {
        update->xrefs++;
        return true;
    }
    tenon_str made = gpb_make_xref(id, update->change->arena, update->change->err);
    if (made.size) *xref = made;
    return made.size > 0;
}

static const tenon_gpb_camera gpb_filler_camera = {.reference = TENON_NONE,
                                                   .camera_type = 1,
                                                   .aspect_ratio = 1,
                                                   .near_plane = 1,
                                                   .far_plane = 1000,
                                                   .field_of_view = 45};

// If types start at 0, there is no number for "none", unless a flag says it.
static bool gpb_needs_all(uint32_t flags)
{
    return (flags & TENON_GPB_FROM_ZERO) && !(flags & (TENON_GPB_NOTHING | TENON_GPB_FLAGS));
}

// Change the materials and skins of all models to the dialect of the change.
static bool gpb_change_models(tenon_gpb *doc, uint32_t gained, uint32_t lost,
                              const tn_change *change)
{
    gpb_model_update update = {.change = change, .gained = gained, .lost = lost};
    uint32_t from = doc->base.dialect->flags;
    bool had_all = gpb_needs_all(from), needs_all = gpb_needs_all(change->to->flags);
    uint8_t *marks = NULL;
    bool ok = gpb_index_make(&update.index, doc, change->arena, change->err);
    if (ok) marks = tn_change_alloc(change, update.index.tree.count, 1, "marks of joints");
    if (!marks) return false;
    for (uint32_t i = 0; ok && i < update.index.tree.count; i++) {
        tenon_gpb_node *node = update.index.tree.nodes[i].node;
        gpb_change_light(&update, &node->light);
        // If every node must have all parts, an unnamed camera and a black light are added. They
        // are removed in other dialects.
        if (had_all && !needs_all) {
            const tenon_gpb_camera *camera = &node->camera, *filler = &gpb_filler_camera;
            const tenon_gpb_light *light = &node->light;
            bool is_filler = camera->reference == TENON_NONE &&
                             camera->camera_type == filler->camera_type &&
                             camera->aspect_ratio == filler->aspect_ratio &&
                             camera->near_plane == filler->near_plane &&
                             camera->far_plane == filler->far_plane &&
                             camera->field_of_view == filler->field_of_view;
            bool is_black = light->reference == TENON_NONE && light->light_type == 1 &&
                            light->color[0] == 0 && light->color[1] == 0 && light->color[2] == 0;
            if (is_filler) node->camera = (tenon_gpb_camera){.reference = TENON_NONE};
            if (is_black) node->light = (tenon_gpb_light){.reference = TENON_NONE};
        }
        update.fillers += needs_all && node->camera.camera_type == 0;
        update.fillers += needs_all && node->light.light_type == 0;
        if (needs_all && node->camera.camera_type == 0) node->camera = gpb_filler_camera;
        if (needs_all && node->light.light_type == 0)
            node->light = (tenon_gpb_light){.reference = TENON_NONE, .light_type = 1};
        node->has_camera = node->camera.camera_type != 0;
        node->has_light = node->light.light_type != 0;
        node->has_model = gpb_has_model(from, &node->model);
        if (!node->has_model) continue;
        if (node->model.has_skin) gpb_change_skin(&update, &node->model, marks);
        ok = gpb_change_materials(&update, &node->model) &&
             gpb_change_xref(&update, &node->model.mesh);
        for (uint32_t k = 0; ok && k < node->model.skin.joint_count; k++)
            ok = gpb_change_xref(&update, &node->model.skin.joints[k]);
    }
    for (uint32_t b = 0; ok && b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_SCENE)
            ok = gpb_change_xref(&update, &doc->blocks[b].body.scene.active_camera);
    if (!ok) return false;
    tn_change_report(change, TENON_APPROXIMATED, "lights", update.lights,
                     "attenuation and range are converted: the range ends where the light has "
                     "faded to 1 percent");
    tn_change_report(
        change, TENON_DROPPED, "skin roots", update.roots,
        "the engine searches for the root node itself, and will find a different node");
    tn_change_report(
        change, TENON_SYNTHESIZED, "material names", update.synthesized,
        "materials of the 'document' dialects have no name if they are not in the reference table");
    tn_change_report(change, TENON_DROPPED, "material parameters", update.parameters,
                     "a model stores only the names of materials");
    tn_change_report(change, TENON_DROPPED, "effects", update.effects,
                     "a model stores only the names of materials");
    tn_change_report(change, TENON_DEFAULTED, "skin bounds", update.bounds,
                     "replaced by the bounds of the mesh");
    tn_change_report(
        change, TENON_SYNTHESIZED, "cameras and lights", update.fillers,
        "this dialect needs a camera and a light on every node: the added lights are black");
    tn_change_report(change, TENON_DROPPED, "references to other bundles", update.xrefs,
                     "the engine does not follow them, and loads the node without a model");
    return true;
}

// -- All changes

// Some variants of dialect "document" do not say which parts a node has. Reading guesses. A guess
// that was right for the file that was read may be wrong for other documents.
#define GPB_GUESSED (TENON_GPB_NOTHING | TENON_GPB_NO_MODEL | TENON_GPB_PLAIN_SKIN)

bool gpb_change(void *any, const tn_change *change)
{
    tenon_gpb *doc = any;
    uint32_t from = doc->base.dialect->flags, to = change->to->flags;
    uint32_t gained = to & ~from, lost = from & ~to, changed = from ^ to;
    bool refresh = change->opts->refresh;
    if (change->to != doc->base.dialect) {
        if (to & GPB_GUESSED)
            return tn_error(change->err, TENON_ERR_UNSUPPORTED,
                            "'%s' files can be read and rewritten, but not written from other "
                            "dialects: they do not say which parts a node has",
                            change->to->name);
        // Objects change their sizes, so unknown bytes between them lose their meaning.
        uint64_t unknown = doc->base.trailing.size;
        for (uint32_t b = 0; b < doc->block_count; b++) {
            unknown += doc->blocks[b].gap.size;
            doc->blocks[b].gap = (tenon_span){0};
        }
        doc->base.trailing = (tenon_span){0};
        tn_change_report(change, TENON_DROPPED, "unknown bytes", unknown,
                         "they do not belong to an object");
        if (!gpb_change_models(doc, gained, lost, change)) return false;
        bool to_bare = (gained & TENON_GPB_BARE_ANIMATIONS) != 0;
        bool moves = (changed & TENON_GPB_BARE_ANIMATIONS) != 0;
        bool leaves_document = (lost & TENON_GPB_DOCUMENT) != 0;
        for (uint32_t b = 0; leaves_document && b < doc->block_count; b++)
            moves = moves || doc->blocks[b].kind == TENON_GPB_ANIMATION ||
                    doc->blocks[b].kind == TENON_GPB_CHANNEL;
        if (moves && !gpb_move_animations(doc, to_bare, change)) return false;
        bool to_float = (gained & TENON_GPB_FLOAT_TIMES) != 0;
        if (changed & TENON_GPB_FLOAT_TIMES && !gpb_change_times(doc, to_float, change))
            return false;
        for (uint32_t b = 0; b < doc->block_count; b++)
            if (doc->blocks[b].kind == TENON_GPB_FONT &&
                !gpb_change_font(&doc->blocks[b].body.font, gained, lost, change))
                return false;
        if (leaves_document && !gpb_leave_document(doc, change)) return false;
        if (gained & TENON_GPB_DOCUMENT) {
            doc->end_counts = doc->is_uncounted = 0;
            for (uint32_t b = 0; b < doc->block_count; b++) doc->blocks[b].counts = 0;
            if (!gpb_add_entries(doc, change)) return false;
        }
        doc->version[0] = 1;
        doc->version[1] = gpb_dialect_minor(change->to);
    }
    if (refresh && !gpb_refresh_references(doc, change->arena, change->err)) return false;
    if (refresh || gained & TENON_GPB_PARENT_ID)
        return gpb_refresh_parents(doc, change->arena, change->err);
    return true;
}
