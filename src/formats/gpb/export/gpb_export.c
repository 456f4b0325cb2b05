// gpb_export.c: exports a scene as a gameplay bundle.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/cursor/span.h"
#include "core/text/text.h"
#include "document/document.h"
#include "exchange/prepare.h"
#include "exchange/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_ID_MOST 4000  // Bytes: the engine allows less than 5000, including a prefix.

// -- Memory, numbers, texts

void *gpb_export_alloc(gpb_exporter *m, uint64_t count, size_t size)
{
    void *memory = m->failed ? NULL : tn_export_alloc(m->e, count, size);
    if (!memory) m->failed = true;
    return memory;
}

void gpb_export_lose(gpb_exporter *m, gpb_lost what, uint64_t count, const char *list,
                     uint32_t index)
{
    tn_tally_at(&m->losses[what], count, list, index);
}

float gpb_export_float(gpb_exporter *m, double value)
{
    return tn_narrow(value, &m->losses[GPB_LOST_NUMBERS].count);
}

tenon_str gpb_export_text(gpb_exporter *m, tenon_str start, const char *end)
{
    uint64_t size = (uint64_t)start.size + strlen(end);
    char *text = gpb_export_alloc(m, size + 1, 1);
    if (!text || size > UINT32_MAX) return (tenon_str){"", 0};
    if (start.size) memcpy(text, start.data, start.size);
    memcpy(text + start.size, end, strlen(end));
    return (tenon_str){text, (uint32_t)size};
}

tenon_span gpb_export_span(gpb_exporter *m, const void *numbers, uint64_t count,
                           const tenon_layout *layout)
{
    uint64_t size = count * layout->stride;
    uint8_t *bytes = gpb_export_alloc(m, size, 1);
    if (bytes) tn_copy_numbers(bytes, numbers, size / 4, 4, false);
    return (tenon_span){.data = bytes, .size = size, .count = count, .layout = layout};
}

// -- References

tenon_str gpb_shorten(tenon_str name)
{
    uint32_t size = name.size;
    if (size <= GPB_ID_MOST) return name;
    for (size = GPB_ID_MOST; size && ((uint8_t)name.data[size] & 0xc0) == 0x80;) size--;
    return (tenon_str){name.data, size};
}

uint32_t gpb_export_reference(gpb_exporter *m, const gpb_wish *wish)
{
    tenon_str wanted = gpb_shorten(wish->name);
    if (wanted.size == 0) wanted = (tenon_str){wish->word, (uint32_t)strlen(wish->word)};
    uint32_t made = m->failed ? TENON_NONE : gpb_table_add(&m->table, wanted, wish->type);
    bool is_taken = made != TENON_NONE && m->doc->references[made].id.size != wanted.size;
    if (is_taken && *wish->end) {
        gpb_table_drop(&m->table, made);
        tenon_str longer = gpb_export_text(m, wanted, wish->end);
        made = m->failed ? TENON_NONE : gpb_table_add(&m->table, longer, wish->type);
    }
    if (made == TENON_NONE) m->failed = true;
    if (m->failed) return TENON_NONE;
    bool is_kept = m->doc->references[made].id.size == wish->name.size;
    gpb_lost what = wish->name.size ? GPB_LOST_NAMES : GPB_LOST_NO_NAMES;
    gpb_export_lose(m, what, !is_kept, wish->list, wish->index);
    return made;
}

tenon_str gpb_export_xref(gpb_exporter *m, uint32_t reference)
{
    tenon_str id = m->failed ? (tenon_str){"", 0} : m->doc->references[reference].id;
    char *text = gpb_export_alloc(m, (uint64_t)id.size + 2, 1);
    if (!text) return (tenon_str){"", 0};
    text[0] = '#';
    memcpy(text + 1, id.data, id.size);
    return (tenon_str){text, id.size + 1};
}

static void gpb_begin_table(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    // An object whose name is taken needs two.
    uint64_t more = 2 + (uint64_t)m->node_count + 2 * ((uint64_t)s->mesh_count + 1) +
                    (uint64_t)s->material_count;
    for (uint32_t i = 0; i < s->node_count; i++)
        more += 2 * ((uint64_t)(s->nodes[i].camera != TENON_NONE) +
                     (uint64_t)(s->nodes[i].light != TENON_NONE));
    if (more > UINT32_MAX) m->failed = !tn_error(m->e->err, TENON_ERR_LIMIT, "too many objects");
    if (m->failed) return;
    m->table = gpb_table_begin(m->doc, m->e->arena, (uint32_t)more, m->e->err);
    m->failed = m->table.failed;
}

static void gpb_name_nodes(gpb_exporter *m)
{
    for (uint32_t i = 0; i < m->node_count && !m->failed; i++) {
        gpb_made_node *node = &m->nodes[i];
        node->reference = gpb_export_reference(
            m, &(gpb_wish){TENON_GPB_NODE, node->name, "node", "", "nodes", node->origin});
        node->xref = gpb_export_xref(m, node->reference);
    }
}

// -- The document

static void gpb_add_meshes_of(gpb_exporter *m)
{
    for (uint32_t i = 0; i < m->scene->mesh_count && !m->failed; i++) {
        gpb_made_mesh *mesh = &m->meshes[i];
        if (mesh->block == TENON_NONE) continue;
        tenon_gpb_block *block = &m->doc->blocks[mesh->block];
        // Encoders append this. The importer removes it.
        tenon_str name = m->scene->meshes[i].name;
        if (name.size) name = gpb_export_text(m, gpb_shorten(name), "_Mesh");
        uint32_t reference =
            gpb_export_reference(m, &(gpb_wish){TENON_GPB_MESH, name, "mesh", "", "meshes", i});
        *block = (tenon_gpb_block){.kind = TENON_GPB_MESH, .reference = reference};
        mesh->xref = gpb_export_xref(m, reference);
        gpb_export_mesh(m, i, &block->body.mesh);
    }
}

static void gpb_add_scene(gpb_exporter *m)
{
    tenon_gpb_block *block = &m->doc->blocks[m->doc->block_count];
    *block = (tenon_gpb_block){.kind = TENON_GPB_SCENE};
    gpb_export_tree(m, &block->body.scene);
    gpb_export_scene_extras(m, &block->body.scene);
    block->reference = gpb_export_reference(
        m, &(gpb_wish){TENON_GPB_SCENE, m->scene->name, "__SCENE__", "_Scene", "scenes", 0});
    m->doc->block_count++;
}

static void gpb_add_animations_of(gpb_exporter *m, uint32_t reference)
{
    tenon_gpb_block *block = &m->doc->blocks[m->doc->block_count];
    *block = (tenon_gpb_block){.kind = TENON_GPB_ANIMATIONS, .reference = reference};
    if (gpb_export_animations(m, &block->body.animations) > 0)
        m->doc->block_count++;
    else
        gpb_table_drop(&m->table, reference);
}

// Blocks in the encoder's order: meshes, the scene, the animations.
static void gpb_fill(gpb_exporter *m)
{
    static const tenon_str container = {"__Animations__", 14};
    tenon_gpb *doc = m->doc;
    uint32_t meshes = 0;
    for (uint32_t i = 0; i < m->scene->mesh_count; i++) {
        bool is_shown = m->meshes[i].is_rigid || m->meshes[i].is_skinned;
        m->meshes[i].block = is_shown ? meshes++ : TENON_NONE;
    }
    bool is_document = m->e->dialect && (m->e->dialect->flags & TENON_GPB_DOCUMENT);
    uint64_t effects = is_document ? m->scene->material_count : 0;
    doc->blocks = gpb_export_alloc(m, (uint64_t)meshes + 2 + effects, sizeof *doc->blocks);
    gpb_begin_table(m);
    if (m->failed) return;
    uint32_t animations = gpb_table_add(&m->table, container, TENON_GPB_ANIMATIONS);
    gpb_name_nodes(m);
    if (is_document) gpb_export_effects(m);
    doc->block_count = meshes;
    gpb_add_meshes_of(m);
    if (!m->failed) gpb_add_scene(m);
    if (!m->failed) gpb_add_animations_of(m, animations);
    for (uint32_t i = 0; i < m->effect_count && !m->failed; i++)
        doc->blocks[doc->block_count++] = m->effect_blocks[i];
    if (!m->failed) gpb_export_bounds(m);
    doc->version[0] = 1;
    doc->version[1] = GPB_MINOR_MOST;
    doc->end_counts = TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS;
    if (m->failed || !gpb_table_end(&m->table) || !gpb_refresh_parents(doc, m->e->arena, m->e->err))
        m->failed = true;
}

static void gpb_choose_all(gpb_exporter *m, const tn_mirrored_meshes *fronts)
{
    gpb_choose_meshes(m, fronts);
    if (!m->failed) gpb_choose_nodes(m);
    if (!m->failed) gpb_choose_joints(m);
    if (!m->failed) gpb_choose_elements(m);
    if (!m->failed) gpb_choose_materials(m);
}

// Versions before 1.5 are made by a downgrade.
static bool gpb_change_to(const gpb_exporter *m, const tenon_dialect *dialect)
{
    const tn_export *e = m->e;
    tenon_change_opts opts = {
        .dialect = dialect ? dialect->name : NULL, .lost = e->opts->lost, .user = e->opts->user};
    return tn_doc_finalize(&m->doc->base, e->err) && tn_doc_change(&m->doc->base, &opts, e->err);
}

bool gpb_export(const tn_export *e)
{
    tn_export with = *e;
    const tenon_scene *prepared = tn_prepare(e, TN_NEEDS_INDICES);
    tenon_scene *scene = tn_export_alloc(e, 1, sizeof *scene);
    tn_mirrored_meshes fronts;
    if (!prepared || !scene) return false;
    *scene = *prepared;
    if (!tn_find_mirrored(scene, e->arena, &fronts, e->err)) return false;
    with.scene = scene;
    gpb_exporter m = {.e = &with, .scene = scene};
    m.doc = tn_export_doc(e, &tn_gpb_format, &tn_gpb_format.face.dialects[0]);
    m.moves = tn_moving_nodes(&with);
    if (!m.doc || !m.moves) return false;
    gpb_choose_all(&m, &fronts);
    if (!m.failed) gpb_fill(&m);
    if (m.failed || !gpb_change_to(&m, e->dialect)) return false;
    if (!e->opts->without_materials) gpb_put_materials(&m);
    if (m.failed) return false;
    gpb_report_losses(&m);
    return tn_export_put_doc(e, "", m.doc);
}
