// bmw_export_loss.c: reports what BMW cannot store of a scene.
// SPDX-License-Identifier: MIT

#include "formats/bmw/export/bmw_export.h"

#include "formats/bmw/check/bmw_check.h"

#include "core/text/text.h"
#include "exchange/clips/motion.h"

#include <stdio.h>

// -- Materials

static bool bmw_is_tinted(const tenon_material *m)
{
    return m->base_color[0] != 1 || m->base_color[1] != 1 || m->base_color[2] != 1;
}

static bool bmw_has_alpha(const tenon_material *m)
{
    return m->base_color[3] != 1;
}

// Import turns a .png into a mask with the usual cutoff, so that one is kept.
static bool bmw_has_other_alpha(const tenon_material *m)
{
    bool has_texture = m->textures[TENON_SLOT_BASE_COLOR].image != TENON_NONE;
    if (m->alpha == TENON_OPAQUE) return false;
    return m->alpha == TENON_BLEND || !has_texture || m->alpha_cutoff != 0.5;
}

static bool bmw_is_lit_otherwise(const tenon_material *m)
{
    return m->metallic != 0 || m->roughness != 1 || m->is_classic;
}

static bool bmw_glows(const tenon_material *m)
{
    return m->emissive[0] != 0 || m->emissive[1] != 0 || m->emissive[2] != 0;
}

static bool bmw_has_more_textures(const tenon_material *m)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        if (slot != TENON_SLOT_BASE_COLOR && m->textures[slot].image != TENON_NONE) return true;
    return false;
}

static const tenon_texture *bmw_written_texture(const tenon_material *m)
{
    const tenon_texture *t = &m->textures[TENON_SLOT_BASE_COLOR];
    return t->image == TENON_NONE ? NULL : t;
}

static bool bmw_is_moved(const tenon_material *m)
{
    const tenon_texture *t = bmw_written_texture(m);
    return t && (t->rotation != 0 || t->offset[0] != 0 || t->offset[1] != 0 || t->scale[0] != 1 ||
                 t->scale[1] != 1);
}

static bool bmw_is_wrapped(const tenon_material *m)
{
    const tenon_texture *t = bmw_written_texture(m);
    return t && (t->wrap[0] != TENON_REPEAT || t->wrap[1] != TENON_REPEAT);
}

static bool bmw_has_a_name(const tenon_material *m)
{
    return m->name.size > 0;
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const tenon_material *m);
} bmw_material_losses[] = {
    {TENON_DROPPED, "names of materials", "BMW stores only the texture path", bmw_has_a_name},
    {TENON_APPROXIMATED, "base colors", "multiplied into the vertex colors", bmw_is_tinted},
    {TENON_DROPPED, "alpha of base colors", "the engine uses only the transparency of the texture",
     bmw_has_alpha},
    {TENON_APPROXIMATED, "alpha modes", "the engine blends only textures whose name contains .png",
     bmw_has_other_alpha},
    {TENON_DROPPED, "metalness and shine", "BMW stores only a texture", bmw_is_lit_otherwise},
    {TENON_DROPPED, "unlit materials", "the engine lights all materials", tn_is_unlit},
    {TENON_DROPPED, "emissive colors", "BMW stores only a texture", bmw_glows},
    {TENON_DROPPED, "double-sided materials", "not supported by BMW", tn_is_double_sided},
    {TENON_DROPPED, "further textures", "BMW supports one texture per mesh", bmw_has_more_textures},
    {TENON_APPROXIMATED, "transforms of textures", "applied to the texture coordinates",
     bmw_is_moved},
    {TENON_DROPPED, "edges of textures", "the engine always repeats textures", bmw_is_wrapped},
};

static void bmw_report_materials(const tn_export *e)
{
    const tenon_scene *s = e->scene;
    for (size_t row = 0; row < sizeof bmw_material_losses / sizeof bmw_material_losses[0]; row++) {
        uint64_t count = 0;
        char path[32] = "";
        for (uint32_t i = 0; i < s->material_count; i++) {
            if (!bmw_material_losses[row].test(&s->materials[i])) continue;
            if (count++ == 0) (void)snprintf(path, sizeof path, "materials[%u]", (unsigned)i);
        }
        tn_export_report(e, bmw_material_losses[row].kind, bmw_material_losses[row].feature, count,
                         path, bmw_material_losses[row].why);
    }
}

// -- Meshes

static bool bmw_has_tangents(const bmw_exporter *m, const tenon_primitive *p)
{
    (void)m;
    return p->tangents != NULL;
}

static bool bmw_has_more_uvs(const bmw_exporter *m, const tenon_primitive *p)
{
    uint32_t written = bmw_paint_of(m, p)->uv_set;
    for (uint32_t i = 0; i < TENON_UV_SETS; i++)
        if (i != written && p->uvs[i]) return true;
    return false;
}

static bool bmw_has_more_colors(const bmw_exporter *m, const tenon_primitive *p)
{
    (void)m;
    return p->colors[1] != NULL;
}

static bool bmw_has_no_uvs(const bmw_exporter *m, const tenon_primitive *p)
{
    return p->index_count && !p->uvs[bmw_paint_of(m, p)->uv_set];
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
    bool (*test)(const bmw_exporter *m, const tenon_primitive *p);
} bmw_primitive_losses[] = {
    {TENON_DROPPED, "tangents", "not supported by BMW", bmw_has_tangents},
    {TENON_DROPPED, "further texture coordinates", "BMW supports one set", bmw_has_more_uvs},
    {TENON_DROPPED, "further vertex colors", "BMW supports one set", bmw_has_more_colors},
    {TENON_DEFAULTED, "texture coordinates", "set to 0, because BMW requires them", bmw_has_no_uvs},
};

static void bmw_report_primitives(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    for (size_t row = 0; row < sizeof bmw_primitive_losses / sizeof bmw_primitive_losses[0];
         row++) {
        uint64_t count = 0;
        char path[64] = "";
        for (uint32_t i = 0; i < s->mesh_count; i++)
            for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++) {
                if (!bmw_primitive_losses[row].test(m, &s->meshes[i].primitives[k])) continue;
                if (count++ == 0)
                    (void)snprintf(path, sizeof path, "meshes[%u].primitives[%u]", (unsigned)i,
                                   (unsigned)k);
            }
        tn_export_report(&m->e, bmw_primitive_losses[row].kind, bmw_primitive_losses[row].feature,
                         count, path, bmw_primitive_losses[row].why);
    }
}

static void bmw_report_meshes(const bmw_exporter *m)
{
    const tn_export *e = &m->e;
    const bmw_counts *c = &m->counts;
    tn_export_report(e, TENON_DROPPED, "meshes", c->hollow, NULL,
                     "without faces they would crash the engine");
    tn_export_report(
        e, TENON_APPROXIMATED, "meshes", c->merged, NULL,
        "joined by texture, because the engine confuses the weights of several meshes");
    tn_export_report(e, TENON_MADE_UP, "vertices", c->front, NULL,
                     "invisible padding before a mesh, so that the engine does not confuse its "
                     "weights with other meshes");
    tn_export_report(e, TENON_APPROXIMATED, "weights", c->mixed, NULL,
                     "the engine confuses the weights of several meshes; separating them would "
                     "need too many vertices");
    tn_export_report(e, TENON_APPROXIMATED, "vertex colors", c->colors, NULL,
                     "rounded to 8 bits per channel");
    tn_export_report(
        e, TENON_APPROXIMATED, "textures", c->not_dds, NULL,
        "changed to .dds, which the engine opens; copying textures would create that file");
    tn_export_report(
        e, TENON_MADE_UP, "textures", c->blank, NULL,
        "a white texture for meshes without one, because textures are matched to meshes by number");
    tn_export_report(e, TENON_APPROXIMATED, "numbers", c->not_finite, NULL,
                     "values too large for a float were clamped");
}

// -- Nodes

typedef struct bmw_node_losses {
    uint64_t gone, flat, baked, binds;
    char first_gone[32], first_flat[32], first_baked[32];
} bmw_node_losses;

static void bmw_note_fate(uint64_t *count, char path[32], uint32_t node)
{
    if ((*count)++ == 0) (void)snprintf(path, 32, "nodes[%u]", (unsigned)node);
}

static bool bmw_report_nodes(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    bmw_node_losses fates = {0};
    bool *is_bone = tn_export_alloc(&m->e, s->node_count, sizeof *is_bone);
    if (!is_bone) return false;
    for (uint32_t i = 0; i < m->bone_count; i++) {
        uint32_t node = bmw_bone_node(m, i);
        if (node != TENON_NONE) is_bone[node] = true;
    }
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *node = &s->nodes[i];
        bool has_mesh = node->mesh != TENON_NONE;
        if (i == m->model || m->keeps_tree) continue;
        if (!is_bone[i] && !has_mesh) bmw_note_fate(&fates.gone, fates.first_gone, i);
        bool is_below = node->parent != TENON_NONE && node->parent != m->model;
        if ((is_bone[i] || has_mesh) && is_below) bmw_note_fate(&fates.flat, fates.first_flat, i);
        if (has_mesh && !is_bone[i] && node->skin == TENON_NONE && !tn_is_unmoved(node))
            bmw_note_fate(&fates.baked, fates.first_baked, i);
    }
    tn_export_report(&m->e, TENON_DROPPED, "nodes", fates.gone, fates.first_gone,
                     "unused: they have no mesh, are not joints and are not animated");
    tn_export_report(&m->e, TENON_MADE_UP, "nodes", 1, NULL, "added as a common root");
    tn_export_report(&m->e, TENON_MADE_UP, "nodes", m->extra_count, NULL,
                     "a joint with several bind poses needs a node for each");
    tn_export_report(
        &m->e, TENON_APPROXIMATED, "parents of nodes", fates.flat, fates.first_flat,
        "all nodes are below the root, because frames include the transforms of parents");
    tn_export_report(&m->e, TENON_APPROXIMATED, "transforms of nodes", fates.baked,
                     fates.first_baked,
                     "applied to the vertices, because the engine ignores node transforms");
    return true;
}

static void bmw_report_bones(const bmw_exporter *m)
{
    const tn_export *e = &m->e;
    uint64_t weighted = m->bone_count - m->loose_count, most = BMW_SHADER_NODES - 1;
    uint64_t beyond = weighted > most ? weighted - most : 0;
    char path[64] = "";
    uint64_t crowded = tn_rig_crowded(e, &m->rig, path, sizeof path);
    tn_export_approximate(e, TN_MEASURE_INFLUENCES, "weights", m->keeps_tree ? 0 : crowded, path,
                          "BMW supports four per vertex; the largest are kept and normalized");
    tn_export_report(e, TENON_APPROXIMATED, "bones", beyond, NULL,
                     "the engine supports 128 and ignores the others");
    tn_export_report(e, TENON_APPROXIMATED, "skins", e->scene->skin_count, "skins[0]",
                     "merged into one without bind poses, which are part of the frames");
    tn_export_report(e, TENON_APPROXIMATED, "names", m->counts.renamed, NULL,
                     "every node needs a different name");
}

// Parts of one node that became several meshes.
static bool bmw_report_parts(const bmw_exporter *m)
{
    uint64_t split = 0;
    bool *is_seen = tn_export_alloc(&m->e, m->e.scene->node_count, sizeof *is_seen);
    if (!is_seen) return false;
    for (uint32_t i = 0; i < m->group_count; i++) {
        uint32_t node = m->rig.parts[m->order[m->groups[i].first]].node;
        split += is_seen[node];
        is_seen[node] = true;
    }
    tn_export_report(&m->e, TENON_APPROXIMATED, "parts of meshes", split, NULL,
                     "split into one mesh per texture");
    return true;
}

// Meshes that no node or several nodes use.
static bool bmw_report_uses(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    uint64_t unseen = 0, shared = 0, named = 0;
    uint32_t *uses = tn_export_alloc(&m->e, s->mesh_count, sizeof *uses);
    if (!uses) return false;
    for (uint32_t i = 0; i < s->node_count; i++) {
        uint32_t mesh = s->nodes[i].mesh;
        if (mesh == TENON_NONE) continue;
        uses[mesh]++;
        named += !tn_text_equal(s->meshes[mesh].name, s->nodes[i].name);
    }
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        unseen += uses[i] == 0;
        shared += uses[i] > 1;
    }
    tn_export_report(&m->e, TENON_DROPPED, "meshes", unseen, NULL, "not used by any node");
    tn_export_report(&m->e, TENON_APPROXIMATED, "shared meshes", shared, NULL,
                     "copied for each node");
    tn_export_report(&m->e, TENON_DROPPED, "names of meshes", named, NULL,
                     "replaced by the name of the node");
    return true;
}

// -- Clips

// The engine loops only clips that the sidecar marks, and the scene does not mark these.
static void bmw_report_loops(const bmw_exporter *m)
{
    if (m->counts.loops == 0) return;
    tenon_str clip = m->clips[m->first_loop].name;
    char name[64], path[32], why[224];
    tn_text_clean(clip.data, clip.size, name, sizeof name);
    (void)snprintf(path, sizeof path, "animations[%u]", (unsigned)m->first_loop);
    (void)snprintf(why, sizeof why,
                   "clip '%s' ends as it begins and is probably a loop: use '--loop %s'", name,
                   name);
    tn_export_report(&m->e, TENON_DEFAULTED, "loops", m->counts.loops, path, why);
}

static void bmw_report_clips(const bmw_exporter *m)
{
    const tn_export *e = &m->e;
    const tenon_scene *s = e->scene;
    uint64_t keys = 0, events = 0, stretched = 0;
    for (uint32_t i = 0; i < s->animation_count; i++) {
        keys += s->animations[i].channel_count;
        events += s->animations[i].event_count;
    }
    tn_export_report(e, TENON_DROPPED, "events", events, NULL, "not supported by BMW");
    if (!m->is_animated) {
        tn_export_report(
            e, TENON_DROPPED, "animations", s->animation_count, "animations[0]",
            "they do not move anything visible, or the layout does not support animations");
        return;
    }
    for (uint32_t i = 0; i < m->clip_count; i++) {
        const bmw_made_clip *clip = &m->clips[i];
        double length = (clip->end - clip->start) / (double)m->rate;
        if (clip->animation == TENON_NONE) continue;
        stretched += length - s->animations[clip->animation].duration > 1e-6;
    }
    tn_export_report(e, TENON_APPROXIMATED, "keys", keys, "animations[0]",
                     "replaced by one frame per tick that includes the transforms of parents");
    tn_export_report(e, TENON_MADE_UP, "clips", m->clips[m->clip_count - 1].animation == TENON_NONE,
                     NULL,
                     "a clip with the rest pose was added, because the engine always plays a clip");
    tn_export_report(e, TENON_APPROXIMATED, "names of clips", m->counts.clip_names, NULL,
                     "every clip needs a different name");
    bmw_report_loops(m);
    tn_export_approximate(e, TN_MEASURE_REMAINDER, "durations", stretched, NULL,
                          "rounded to whole ticks: at least one, or two if the clip is not held");
    tn_export_approximate(e, TN_MEASURE_AT_REST, "rest pose", m->counts.is_resting, NULL,
                          "the engine starts with the default clip, not with the rest pose");
    if (m->counts.between <= tn_motion_tolerance(e) / 2) return;
    const char *why =
        tn_rate_text(e, "the engine does not interpolate between frames:", m->rate, m->rate);
    if (why)
        tn_export_approximate(e, TN_MEASURE_BETWEEN_FRAMES, "motion between frames", 1, NULL, why);
}

// -- Everything else

static bool bmw_holds_extra(const bmw_exporter *m, const tenon_extra *extra)
{
    bool is_scenes = extra->of == TENON_EXTRA_OF_SCENE;
    bool is_clips = extra->of == TENON_EXTRA_OF_ANIMATION;
    if (!m->is_animated) return false;
    if (is_scenes && tn_text_equal(extra->name, (tenon_str){"defaultAnim", 11}))
        return tn_text_equal(extra->value, m->default_anim);
    return is_clips && bmw_is_flag(extra);
}

static void bmw_report_rest(const bmw_exporter *m)
{
    const tenon_scene *s = m->e.scene;
    uint64_t extras = 0;
    for (uint32_t i = 0; i < s->extra_count; i++) extras += !bmw_holds_extra(m, &s->extras[i]);
    tn_export_report(&m->e, TENON_APPROXIMATED, "name", s->name.size > 0, NULL,
                     "stored as the root's name, unless a node has the same name");
    tn_export_report_picture_names(&m->e);
    tn_export_report(&m->e, TENON_DROPPED, "cameras", s->camera_count, "cameras[0]",
                     "not supported by BMW");
    tn_export_report(&m->e, TENON_DROPPED, "lights", s->light_count, "lights[0]",
                     "not supported by BMW");
    tn_export_report(&m->e, TENON_DROPPED, "extras", extras, NULL,
                     "BMW supports only \"loop\", \"hold\" and \"defaultAnim\"");
}

bool bmw_report_making(const bmw_exporter *m)
{
    if (!bmw_report_nodes(m) || !bmw_report_uses(m) || !bmw_report_parts(m)) return false;
    bmw_report_bones(m);
    bmw_report_meshes(m);
    bmw_report_primitives(m);
    bmw_report_materials(&m->e);
    bmw_report_clips(m);
    bmw_report_rest(m);
    return true;
}
