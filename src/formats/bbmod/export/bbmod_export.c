// bbmod_export.c: exporting a scene as a BBMOD model with animations and material files; losses.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/losses.h"
#include "exchange/prepare.h"
#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include <math.h>
#include <string.h>

#define ROW_SIZE    32  // Bytes of a dual quaternion.
#define WHOLE       1e-6
#define FRAMES_MOST 1e8

// -- Files

// The dialects of the format's document cannot store everything that poses need, so the error is
// measured.
static void bbmod_export_take_loss(void *user, const tenon_loss *loss)
{
    const tn_export *export = user;
    if (export->dialect->flags & TENON_BBMOD_DOCUMENT)
        tn_export_approximate(export, TN_MEASURE_REMAINDER, loss->feature, loss->count, loss->path,
                              loss->why);
    else
        tn_export_report(export, loss->kind, loss->feature, loss->count, loss->path, loss->why);
}

// Downgrade a document from the newest dialect to `dialect` and write it as the file `name`; "" is
// the model.
static bool bbmod_export_doc(const bbmod_exporter *exporter, const char *name, tenon_doc *doc,
                             const tenon_dialect *dialect)
{
    const tn_export *export = exporter->export;
    tenon_change_opts opts = {.dialect = dialect->name,
                              .events = {.user = (void *)export, .on_loss = bbmod_export_take_loss},
                              .model = name[0] ? &exporter->doc->base : NULL};
    if (dialect != doc->dialect && !tn_doc_change(doc, &opts, export->err)) return false;
    return tn_export_put_doc(export, name, doc);
}

const char *bbmod_export_name_file(const tn_export *export, tenon_str wanted, const char *end,
                                   tenon_str *kept)
{
    bool has_prefix = !export->opts->without_prefix;
    tenon_str stem = has_prefix ? tn_export_stem(export) : (tenon_str){"", 0};
    char *rest = tn_export_alloc(export, (uint64_t)wanted.size + 1, 1);
    if (!rest) return NULL;
    rest[0] = '_';
    if (wanted.size) memcpy(rest + 1, wanted.data, wanted.size);
    const char *file = tn_export_name(
        export, stem, (tenon_str){rest + !has_prefix, wanted.size + has_prefix}, end);
    if (!file) return NULL;
    const char *start = file + stem.size + has_prefix;
    *kept = (tenon_str){start, (uint32_t)(strlen(start) - strlen(end))};
    return file;
}

// -- Dialects

// The dialect of animations for a dialect of models; NULL: that dialect has no animations.
static const tenon_dialect *bbanim_export_dialect_for(const tenon_dialect *model)
{
    const tenon_format *format = &tn_bbanim_format.face;
    if (!model) return tenon_dialect_by_name(format, bbmod_newest_dialect()->name);
    if (model->flags & TENON_BBMOD_NO_BONE_COUNT) return NULL;
    if (model->flags & TENON_BBMOD_NESTED) return tenon_dialect_by_name(format, "1");
    if (model->flags & TENON_BBMOD_DOCUMENT) return tenon_dialect_by_name(format, "document");
    return tenon_dialect_by_name(format, model->name);
}

// -- Frames

static bool bbanim_export_fill_frames(bbmod_exporter *exporter, const tenon_animation *animation,
                                      const tn_motion *motion, tenon_bbanim *doc)
{
    const tn_export *export = exporter->export;
    double rate = doc->tics_per_second, whole = floor(animation->duration * rate + 0.5), last = 0;
    if (!(whole <= FRAMES_MOST))
        return tn_error(export->err, TENON_ERR_LIMIT, "a clip is too long to sample");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const tenon_channel *channel = &animation->channels[i];
        double time = (double)channel->times[channel->key_count - 1];
        if (channel->key_count > 1 && time > last) last = time;
    }
    // The last frame is shown for the duration of a frame. A clip whose last key is at its end
    // therefore becomes longer by one frame.
    uint32_t needed = tn_frame_count(last, rate);
    uint32_t count = needed > whole ? needed : (uint32_t)whole;
    if (count == 0) count = 1;
    const tenon_layout *layout = bbanim_layout_of_frames(
        doc->spaces, doc->model_node_count, doc->model_bone_count, export->arena, export->err);
    if (!layout) return false;
    uint64_t stride = layout->stride;
    uint8_t *frames = tn_export_alloc(export, count, (size_t)stride);
    if (!frames) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = frames + i * stride;
        bbmod_pose(exporter, motion, i / rate);
        // Of the two dual quaternions for a transform, store the one nearer to that of the previous
        // frame.
        uint8_t *row = frame;
        const uint8_t *previous = i ? frame - stride : NULL;
        for (uint32_t space = TENON_BBANIM_PARENT; space <= TENON_BBANIM_BONE; space *= 2) {
            uint32_t slot_count =
                space == TENON_BBANIM_BONE ? exporter->bone_count : exporter->node_count;
            for (uint32_t slot = 0; (doc->spaces & space) && slot < slot_count;
                 slot++, row += ROW_SIZE) {
                uint32_t plan = exporter->by_slot[slot];
                tn_dquat transform = space == TENON_BBANIM_PARENT
                                         ? bbmod_export_plan_local(exporter, plan)
                                         : bbmod_export_plan_world(exporter, plan);
                if (space == TENON_BBANIM_BONE)
                    transform =
                        tn_dquat_mul(transform, exporter->bones[exporter->plans[plan].bone].offset);
                float numbers[8];
                double dot = 0;
                if (!bbmod_export_store_transform(exporter, transform, numbers)) return false;
                for (int k = 0; k < 4 && previous; k++)
                    dot += (double)numbers[k] * (double)tn_load_f32(previous + 4 * k, false);
                for (int k = 0; k < 8 && dot < 0; k++) numbers[k] = 0 - numbers[k];
                tn_copy_numbers(row, numbers, 8, 4, false);
                if (previous) previous += ROW_SIZE;
            }
        }
    }
    // If the last two frames are equal, the last one is not needed, because the engine holds the
    // one before it.
    bool is_longer = count > 1 && stride && count >= animation->duration * rate + 0.5;
    const uint8_t *end = frames + (count - 1) * stride;
    if (is_longer && memcmp(end, end - stride, (size_t)stride) == 0) count--;
    doc->duration = count;
    doc->frames = bbmod_span(frames, count, layout);
    return true;
}

// -- Documents

// The spaces of frames: the requested ones, if possible. The engine cannot play animations in
// parent space if the model has too many nodes; the other spaces have no such limit. Bone space
// needs bones, and some dialects have parent space only.
static uint8_t bbanim_export_choose_spaces(const bbmod_exporter *exporter)
{
    const tenon_dialect *dialect = bbanim_export_dialect_for(exporter->export->dialect);
    uint32_t fixed = TENON_BBANIM_KEYFRAMES | TENON_BBANIM_DOCUMENT;
    uint32_t asked = exporter->export->opts->spaces;
    if (!dialect || (dialect->flags & fixed)) return TENON_BBANIM_PARENT;
    if (asked == TENON_BBANIM_BONE && exporter->bone_count == 0) return TENON_BBANIM_PARENT;
    if (asked) return (uint8_t)asked;
    bool is_crowded = exporter->node_count > BBMOD_ENGINE_MOST;
    return is_crowded ? TENON_BBANIM_WORLD | TENON_BBANIM_BONE : TENON_BBANIM_PARENT;
}

static bool bbanim_export_fill(bbmod_exporter *exporter, uint32_t index, tenon_bbanim *doc)
{
    const tn_export *export = exporter->export;
    const tenon_animation *animation = &exporter->scene->animations[index];
    bbmod_export_tallies *tallies = &exporter->tallies;
    tn_motion motion;
    if (!tn_motion_make(export, index, &motion)) return false;
    double rate = tn_motion_rate(export, &motion);
    if (!(rate > 0)) return false;
    doc->spaces = bbanim_export_choose_spaces(exporter);
    doc->tics_per_second = rate;
    doc->model_node_count = exporter->node_count;
    doc->model_bone_count = exporter->bone_count;
    if (!bbanim_export_fill_frames(exporter, animation, &motion, doc)) return false;
    double error = tn_motion_rate_error(export, &motion, rate);
    if (error > WHOLE) {
        if (tallies->rates.count == 0 || rate < tallies->lowest_rate) tallies->lowest_rate = rate;
        if (rate > tallies->highest_rate) tallies->highest_rate = rate;
        if (error > tallies->rate_error) tallies->rate_error = error;
        tn_tally_at(&tallies->rates, 1, "animations", index);
    }
    double off = fabs(doc->duration / rate - animation->duration);
    tn_tally_at(&tallies->durations, off > WHOLE, "animations", index);
    uint32_t event_count = animation->event_count;
    tenon_bbanim_event *events = tn_export_alloc(export, event_count, sizeof *events);
    if (!events) return false;
    for (uint32_t i = 0; i < event_count; i++) {
        double frame = animation->events[i].time * rate, whole = floor(frame + 0.5);
        bool is_whole = fabs(frame - whole) < WHOLE;
        events[i] = (tenon_bbanim_event){is_whole ? whole : frame, animation->events[i].name};
    }
    doc->events = events;
    doc->event_count = event_count;
    return true;
}

// -- Clips

// Write one file for each clip. The model is complete and has the newest dialect.
static bool bbanim_export_clips(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    uint32_t count = exporter->scene->animation_count;
    const tenon_dialect *dialect = bbanim_export_dialect_for(export->dialect);
    if (!dialect)
        tn_export_report(export, TENON_DROPPED, "animations", count, "animations[0]",
                         "not supported by this version of BBMOD");
    for (uint32_t i = 0; dialect && i < count; i++) {
        // Some exporters write "Armature|walk" for "walk".
        tenon_str own = exporter->scene->animations[i].name, wanted = own, kept;
        for (uint32_t k = 1; k < own.size; k++)
            if (own.data[k - 1] == '|') wanted = (tenon_str){own.data + k, own.size - k};
        const char *name = bbmod_export_name_file(export, wanted, ".bbanim", &kept);
        tenon_bbanim *doc =
            tn_export_doc(export, &tn_bbanim_format, bbanim_export_dialect_for(NULL));
        if (!name || !doc) return false;
        tn_tally_at(&exporter->tallies.clip_names, !tn_text_equal(kept, own), "animations", i);
        tn_mark mark = tn_arena_mark(export->arena);
        if (!bbanim_export_fill(exporter, i, doc) ||
            !bbmod_export_doc(exporter, name, &doc->base, dialect))
            return false;
        // The memory of a clip is freed before the next one, except in the dialect of the format's
        // document: there, losses that are reported later point into it.
        if (!(dialect->flags & TENON_BBANIM_DOCUMENT)) tn_arena_rewind(export->arena, mark);
    }
    return true;
}

// Whether the scene was imported from BBMOD.
static bool bbmod_export_is_source(const tenon_scene *scene)
{
    return scene->source && strcmp(scene->source->name, "bbmod") == 0;
}

// -- Limits

static const tn_limit bbmod_limits[] = {
    {.feature = TN_HAS_UNUSED_MESHES},
    {.feature = TN_HAS_MESH_NAMES, .why = "BBMOD stores names for nodes only"},
    {.feature = TN_HAS_UV_SETS, .most = 2, .why = "BBMOD supports two sets"},
    {.feature = TN_HAS_COLOR_SETS, .most = 1, .why = "BBMOD supports one set"},
    {.feature = TN_HAS_SKINS,
     .most = 1,
     .kind = TENON_APPROXIMATED,
     .why = "merged into one skeleton, the only one that BBMOD supports"},
    {.feature = TN_HAS_SKIN_ROOTS},
    {.feature = TN_HAS_SCALE_CHANNELS},
    {.feature = TN_HAS_CAMERAS},
    {.feature = TN_HAS_LIGHTS},
    {.feature = TN_HAS_SCENE_NAME, .why = "BBMOD stores names for nodes only"},
};

static const tn_limit bbmod_material_limits[] = {
    {.feature = TN_HAS_STRENGTHS, .name = "strength of normals and occlusion"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS &
             ~(TN_SLOT_BIT(TENON_SLOT_METALLIC_ROUGHNESS) | TN_SLOT_BIT(TENON_SLOT_OCCLUSION)),
     .name = "metallic, roughness and occlusion textures",
     .why = "BBMOD expects other channels in its packed textures"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_DISPLACEMENT),
     .name = "displacement textures"},
    {.feature = TN_HAS_PICTURE_NAMES},
};

// What the import has reported, if the scene comes from BBMOD.
static const tn_limit bbmod_texture_limits[] = {
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~TN_SLOT_BIT(TENON_SLOT_NORMAL),
     .kind = TENON_APPROXIMATED,
     .name = "normal textures",
     .why = "BBMOD reads their alpha channel as roughness or smoothness"},
    {.feature = TN_HAS_TEXTURES,
     .most = TN_ALL_SLOTS & ~(TN_SLOT_BIT(TENON_SLOT_EMISSIVE) | TN_SLOT_BIT(TENON_SLOT_LIGHT_MAP)),
     .kind = TENON_APPROXIMATED,
     .name = "emissive textures and light maps",
     .why = "BBMOD reads them as RGBM"},
};

// -- Losses of materials

// Whether a texture has other settings than the first one, which apply to all of them.
static bool bbmod_export_has_odd_mapping(const tenon_material *material)
{
    const tenon_texture *first = NULL;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &material->textures[slot];
        bool is_light_map = slot == TENON_SLOT_LIGHT_MAP;
        if (t->image == TENON_NONE) continue;
        if (t->rotation != 0 || t->uv_set != is_light_map) return true;
        if (t->wrap[0] != t->wrap[1] || t->wrap[0] == TENON_MIRROR) return true;
        if (!first && !is_light_map) first = t;
        bool is_plain =
            t->offset[0] == 0 && t->offset[1] == 0 && t->scale[0] == 1 && t->scale[1] == 1;
        if (is_light_map && !is_plain) return true;
        if (first && (memcmp(t->wrap, first->wrap, sizeof t->wrap) != 0)) return true;
        if (!is_light_map && (memcmp(t->offset, first->offset, sizeof t->offset) != 0 ||
                              memcmp(t->scale, first->scale, sizeof t->scale) != 0))
            return true;
    }
    return false;
}

// If there is a texture, BBMOD ignores colors.
static void bbmod_export_report_materials(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    tn_tally metallic = {0}, specular = {0}, emissive = {0}, cutoff = {0}, mapping = {0};
    for (uint32_t i = 0; i < scene->material_count; i++) {
        const tenon_material *m = &scene->materials[i];
        bool is_kept = m->textures[TENON_SLOT_SPECULAR].image != TENON_NONE &&
                       m->specular[0] == 1 && m->specular[1] == 1 && m->specular[2] == 1 &&
                       m->shininess == 1;
        double glow = m->textures[TENON_SLOT_EMISSIVE].image != TENON_NONE ? 1 : 0;
        bool is_cut = m->alpha_cutoff > 0 && m->alpha_cutoff < 1;
        tn_tally_at(&metallic, m->metallic != 0 || m->roughness != 1, "materials", i);
        tn_tally_at(&specular, m->is_classic && !is_kept, "materials", i);
        tn_tally_at(&emissive,
                    m->emissive[0] != glow || m->emissive[1] != glow || m->emissive[2] != glow,
                    "materials", i);
        tn_tally_at(&cutoff, m->alpha == TENON_MASK && !is_cut, "materials", i);
        tn_tally_at(&mapping, bbmod_export_has_odd_mapping(m), "materials", i);
    }
    tn_export_report_tally(export, &metallic, TENON_DROPPED, "metallic and roughness",
                           "BBMOD stores them in textures only");
    tn_export_report_tally(export, &specular, TENON_DROPPED, "specular colors",
                           "BBMOD stores them in textures only");
    tn_export_report_tally(export, &emissive, TENON_DROPPED, "emissive colors",
                           "BBMOD stores them in textures only");
    tn_export_report_tally(export, &cutoff, TENON_APPROXIMATED, "alpha cutoff",
                           "BBMOD supports values between 0 and 1");
    tn_export_report_tally(
        export, &mapping, TENON_APPROXIMATED, "places of textures",
        "BBMOD uses one offset, scale and wrap mode for all textures of a material, no rotation, "
        "and the second texture coordinates only for light maps");
    tn_export_report_tally(export, &exporter->tallies.values, TENON_DROPPED, "values of materials",
                           "too many for one material file");
    tn_report_limits(export, "BBMOD", bbmod_material_limits,
                     sizeof bbmod_material_limits / sizeof *bbmod_material_limits);
    if (!bbmod_export_is_source(scene))
        tn_report_limits(export, "BBMOD", bbmod_texture_limits,
                         sizeof bbmod_texture_limits / sizeof *bbmod_texture_limits);
}

// -- Losses of nodes

static void bbmod_export_report_nodes(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_tally joints = {0}, scales = {0}, uneven = {0};
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const bbmod_source_node *source = &exporter->sources[i];
        uint32_t parent = scene->nodes[i].parent;
        bool is_lost =
            scene->nodes[i].is_joint && !source->is_left_out && source->bone == TENON_NONE;
        bool is_scaled = !bbmod_rig_is_identity(&source->stretch.matrix) ||
                         (parent != TENON_NONE &&
                          !bbmod_rig_is_identity(&exporter->sources[parent].stretch.matrix));
        tn_tally_at(&joints, is_lost, "nodes", i);
        tn_tally_at(&scales, is_scaled, "nodes", i);
        tn_tally_at(&uneven, source->is_uneven, "nodes", i);
    }
    tn_export_report_tally(export, &joints, TENON_DROPPED, "joints",
                           "stored as ordinary nodes, because they do not move any vertex");
    tn_export_report_tally(export, &tallies->scaling, TENON_DROPPED, "nodes",
                           "invisible nodes with animated scale, which BBMOD does not support");
    tn_export_report_tally(
        export, &tallies->spare, TENON_DROPPED, "nodes",
        "invisible nodes, removed because the engine animates at most 128 nodes");
    tn_export_report(export, TENON_SYNTHESIZED, "nodes", exporter->added_count, NULL,
                     "added as a common root, or where skins have different bind poses for a node");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "depth of nodes", tallies->too_deep.count,
                          tallies->too_deep.path,
                          "nested too deep; moved to a node higher in the tree");
    if (exporter->node_count > BBMOD_ENGINE_MOST && exporter->bone_count)
        tn_export_report(export, TENON_APPROXIMATED, "nodes",
                         exporter->node_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine animates at most 128 in parent space");
    tn_export_report_tally(
        export, &scales, TENON_APPROXIMATED, "scales of nodes",
        "applied to vertices and node positions, because BBMOD does not support scale");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "scale animation", uneven.count,
                          uneven.path,
                          "BBMOD cannot animate scale; the scale of the rest pose is used");
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "scales of bones", tallies->bakes.count,
                          tallies->bakes.path,
                          "the bones of a vertex have different scales; the mean was used");
}

// -- Losses of animations

static void bbmod_export_report_clips(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    tn_export_report_tally(export, &tallies->durations, TENON_APPROXIMATED, "durations",
                           "rounded to a whole number of frames");
    tn_export_report_tally(export, &tallies->clip_names, TENON_APPROXIMATED, "names of animations",
                           "changed to be unique and valid as file names");
    const char *rates = NULL;
    if (tallies->rates.count)
        rates = tn_rate_text(export, "sampled at", tallies->lowest_rate, tallies->highest_rate);
    if (rates)
        tn_export_approximate_by(export, tallies->rate_error, "motion between frames",
                                 tallies->rates.count, tallies->rates.path, rates);
    uint8_t spaces = bbanim_export_choose_spaces(exporter);
    if (spaces == TENON_BBANIM_BONE) {
        tn_tally missing = {0};
        bool *moves = tn_moving_nodes(export);
        for (uint32_t i = 0; moves && i < scene->node_count; i++)
            tn_tally_at(&missing, moves[i] && exporter->sources[i].bone == TENON_NONE, "nodes", i);
        tn_export_approximate(export, TN_MEASURE_REMAINDER, "motion of nodes", missing.count,
                              missing.path, "frames in bone space contain bones only");
    }
    if (spaces == (export->opts->spaces ? export->opts->spaces : TENON_BBANIM_PARENT)) return;
    tn_export_report(
        export, TENON_DEFAULTED, "spaces", scene->animation_count, "animations[0]",
        spaces != TENON_BBANIM_PARENT
            ? "set to world and bone, because the engine animates at most 128 nodes in parent space"
            : "set to parent, the only space in this version or for a model without bones");
}

static void bbmod_export_report_losses(const bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    const bbmod_export_tallies *tallies = &exporter->tallies;
    uint64_t extra_count = 0;
    for (uint32_t i = 0; i < scene->extra_count; i++)
        extra_count += bbmod_export_bbmat_name(&scene->extras[i]).size == 0;
    bbmod_export_report_nodes(exporter);
    tn_export_report_tally(export, &tallies->empty, TENON_DROPPED, "primitives", "empty");
    tn_export_report_tally(export, &tallies->leftover, TENON_DROPPED, "vertices",
                           "left over after the last complete triangle or line");
    tn_export_report_tally(export, &tallies->colors, TENON_APPROXIMATED, "vertex colors",
                           "rounded to 8 bits per channel");
    tn_tally skinned = {0}, unused = {0}, names = {0};
    bool *is_used = tn_export_alloc(export, scene->skin_count, sizeof *is_used);
    if (!is_used) return;
    for (uint32_t i = 0; i < exporter->rig.part_count; i++) {
        const tn_part *part = &exporter->rig.parts[i];
        if (!part->is_skinned) continue;
        is_used[scene->nodes[part->node].skin] = true;
        tn_tally_at(&skinned, 1, "meshes", part->mesh);
    }
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        tn_tally_at(&unused, !is_used[i], "skins", i);
        tn_tally_at(&names, is_used[i] && scene->skins[i].name.size, "skins", i);
    }
    if (!bbmod_export_is_source(scene))
        tn_export_report_tally(export, &skinned, TENON_APPROXIMATED, "dual-quaternion skinning",
                               "the engine blends dual quaternions, other formats blend matrices");
    tn_export_report_tally(export, &unused, TENON_DROPPED, "skins", "they do not move any vertex");
    tn_export_report_tally(export, &names, TENON_DROPPED, "names of skins", "not stored in BBMOD");
    if (exporter->bone_count > BBMOD_ENGINE_MOST)
        tn_export_report(export, TENON_APPROXIMATED, "bones",
                         exporter->bone_count - BBMOD_ENGINE_MOST, NULL,
                         "all are stored, but the engine supports at most 128");
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(export, &exporter->rig, path, sizeof path);
    tn_export_approximate(export, TN_MEASURE_INFLUENCES, "influences", crowded, path,
                          "BBMOD supports four per vertex; the largest are kept");
    if (export->opts->without_materials)
        tn_export_report(export, TENON_DROPPED, "materials", scene->material_count, "materials[0]",
                         "material files were not requested; only the names are kept");
    else
        bbmod_export_report_materials(exporter);
    tn_export_report_tally(export, &tallies->material_names, TENON_APPROXIMATED,
                           "names of materials", "changed to be unique and valid as file names");
    tn_export_report(export, TENON_SYNTHESIZED, "materials",
                     exporter->default_material != TENON_NONE, NULL,
                     "added 'DefaultMaterial', because every mesh needs a material");
    bbmod_export_report_clips(exporter);
    tn_report_limits(export, "BBMOD", bbmod_limits, sizeof bbmod_limits / sizeof *bbmod_limits);
    tn_export_report(export, TENON_DROPPED, "extras", extra_count, NULL, "not supported by BBMOD");
}

// -- The model

bool bbmod_export_has_bones(const tn_part *part)
{
    return part->is_skinned || part->bone != TENON_NONE;
}

// In versions with one vertex format for all, either all meshes have bones or none. Before version
// 3 nodes do not transform meshes, so animated meshes need bones.
static tn_rigid bbmod_export_choose_rigid(const tenon_scene *scene, uint32_t flags)
{
    bool is_free = (flags & (TENON_BBMOD_MESH_FORMATS | TENON_BBMOD_NO_BONE_COUNT)) ||
                   !(flags & TENON_BBMOD_BONES);
    if (is_free) return TN_RIGID_WITHOUT_BONES;
    if ((flags & TENON_BBMOD_MATRICES) && scene->animation_count) return TN_RIGID_ALL;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *node = &scene->nodes[i];
        if (node->mesh == TENON_NONE || node->skin == TENON_NONE) continue;
        for (uint32_t k = 0; k < scene->meshes[node->mesh].primitive_count; k++)
            if (scene->meshes[node->mesh].primitives[k].influence_count) return TN_RIGID_ALL;
    }
    return TN_RIGID_WITHOUT_BONES;
}

// All joints of skins become bones. If these are too many for the engine, only those with weights.
static bool bbmod_export_make_rig(bbmod_exporter *exporter, uint32_t flags)
{
    const tn_export *export = exporter->export;
    tn_rig *rig = &exporter->rig;
    exporter->rigid = bbmod_export_choose_rigid(exporter->scene, flags);
    if (!tn_rig_make(export, exporter->rigid, true, rig)) return false;
    if (rig->bone_count > BBMOD_ENGINE_MOST && !tn_rig_make(export, exporter->rigid, false, rig))
        return false;
    if (!(flags & TENON_BBMOD_NESTED) || exporter->rigid == TN_RIGID_WITHOUT_BONES) return true;
    // Version 1 animates bones only, so every animated node becomes a bone.
    uint32_t node_count = exporter->scene->node_count;
    bool *moves = tn_moving_nodes(export);
    tn_bone *bones = tn_export_alloc(export, (uint64_t)rig->bone_count + node_count, sizeof *bones);
    if (!moves || !bones) return false;
    for (uint32_t i = 0; i < rig->bone_count; i++) {
        bones[i] = rig->bones[i];
        moves[bones[i].node] = false;
    }
    for (uint32_t i = 0; i < node_count; i++)
        if (moves[i])
            bones[rig->bone_count++] = (tn_bone){.node = i, .inverse_bind = tn_mat4_identity()};
    rig->bones = bones;
    return true;
}

bool bbmod_export(const tn_export *export)
{
    uint32_t spaces = TENON_BBANIM_PARENT | TENON_BBANIM_WORLD | TENON_BBANIM_BONE;
    if (export->opts->spaces & ~spaces)
        return tn_error(export->err, TENON_ERR_UNSUPPORTED,
                        "the spaces must be a combination of 1, 2 and 4");
    const tenon_scene *scene = tn_prepare(export, TN_NEEDS_NORMALS | TN_NEEDS_TANGENTS);
    if (!scene) return false;
    tn_export with = *export;
    with.scene = scene;
    bbmod_exporter exporter = {.export = &with, .scene = scene};
    exporter.doc = tn_export_doc(&with, &tn_bbmod_format, bbmod_newest_dialect());
    if (!exporter.doc) return false;
    const tenon_dialect *dialect = export->dialect ? export->dialect : exporter.doc->base.dialect;
    if (!bbmod_export_make_rig(&exporter, dialect->flags)) return false;
    exporter.default_material = TENON_NONE;
    for (uint32_t i = 0; i < exporter.rig.part_count; i++)
        if (exporter.rig.parts[i].p->material == TENON_NONE)
            exporter.default_material = scene->material_count;
    if (!bbmod_export_find_stretches(&exporter) || !bbmod_export_bones(&exporter) ||
        !bbmod_export_plan_nodes(&exporter) || !bbmod_export_meshes(&exporter))
        return false;
    // Version 0 is recognized by its vertices, so it needs some.
    bool is_known = (dialect->flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)) != 0;
    for (uint32_t i = 0; i < exporter.doc->mesh_count; i++)
        if (exporter.doc->meshes[i].primitive_type == TENON_BBMOD_TRIANGLES) is_known = true;
    if (!is_known)
        return tn_error(
            export->err, TENON_ERR_UNSUPPORTED,
            "version 0 of BBMOD stores one mesh, but the scene has no visible triangles");
    if (!bbmod_export_fill_tree(&exporter) || !bbmod_export_materials(&exporter) ||
        !bbanim_export_clips(&exporter))
        return false;
    bbmod_export_report_losses(&exporter);
    return bbmod_export_doc(&exporter, "", &exporter.doc->base, dialect);
}
