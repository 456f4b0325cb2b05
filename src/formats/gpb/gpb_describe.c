// gpb_describe.c: the bytes of a gameplay bundle, versions 1.2 to 1.5.
// SPDX-License-Identifier: MIT
//
// Objects stand one after the other without tags or sizes; only the reference table says where one
// starts and what it is. They are read in file order, and references never move the cursor.

#include "gpb_format.h"

#include "../../core/layout.h"
#include "../../core/span.h"

#include <inttypes.h>

static const tenon_element gpb_matrix_element = {"", TENON_TYPE_F32, 16, 0, 0};
static const tenon_layout gpb_matrix_layout = {&gpb_matrix_element, 1, 64, NULL, 0, NULL};

static const char *gpb_usage_name(uint32_t usage)
{
    static const char *const names[] = {
        "unknown",   "position",  "normal",    "color",     "tangent",   "binormal",
        "weights",   "indices",   "texcoord0", "texcoord1", "texcoord2", "texcoord3",
        "texcoord4", "texcoord5", "texcoord6", "texcoord7",
    };
    return names[usage < sizeof names / sizeof names[0] ? usage : 0];
}

static const tenon_layout *gpb_index_layout(uint32_t format)
{
    return format == 0x1401 ? &tn_layout_u8 : format == 0x1403 ? &tn_layout_u16 : &tn_layout_u32;
}

static const tenon_layout *gpb_vertex_layout(tn_io *io, const tenon_gpb_mesh *mesh)
{
    tn_layout_builder b = tn_layout_begin(io, "vertices", &mesh->vertices, mesh->element_count);
    for (uint32_t i = 0; i < mesh->element_count; i++)
        tn_layout_add(&b, gpb_usage_name(mesh->elements[i].usage), TENON_TYPE_F32,
                      mesh->elements[i].size, 0);
    return tn_layout_end(&b);
}

static void gpb_describe_part(tn_io *io, tenon_gpb_part *part)
{
    tn_u32(io, "primitive_type", &part->primitive_type);
    tn_u32(io, "index_format", &part->index_format);
    tn_u32(io, "index_size", &part->index_size);
    tn_sized_records(io, "indices", &part->indices, part->index_size,
                     gpb_index_layout(part->index_format), &part->leftover);
}

static void gpb_describe_mesh(tn_io *io, tenon_gpb_mesh *mesh)
{
    tn_list(io, "elements", &mesh->elements, &mesh->element_count, sizeof *mesh->elements, 8);
    for (uint32_t i = 0; tn_next(io, i, mesh->element_count); i++) {
        tn_u32(io, "usage", &mesh->elements[i].usage);
        tn_u32(io, "size", &mesh->elements[i].size);
    }
    tn_u32(io, "vertex_size", &mesh->vertex_size);
    tn_sized_records(io, "vertices", &mesh->vertices, mesh->vertex_size,
                     gpb_vertex_layout(io, mesh), &mesh->leftover);
    tn_f32s(io, "bounds_min", mesh->bounds_min, 3);
    tn_f32s(io, "bounds_max", mesh->bounds_max, 3);
    tn_f32s(io, "sphere_center", mesh->sphere_center, 3);
    tn_f32(io, "sphere_radius", &mesh->sphere_radius);
    tn_list(io, "parts", &mesh->parts, &mesh->part_count, sizeof *mesh->parts, 12);
    for (uint32_t i = 0; tn_next(io, i, mesh->part_count); i++)
        gpb_describe_part(io, &mesh->parts[i]);
}

static void gpb_describe_camera(tn_io *io, tenon_gpb_camera *camera)
{
    tn_enter(io, "camera");
    tn_u8(io, "camera_type", &camera->camera_type);
    if (camera->camera_type != 0) {
        tn_f32(io, "aspect_ratio", &camera->aspect_ratio);
        tn_f32(io, "near_plane", &camera->near_plane);
        tn_f32(io, "far_plane", &camera->far_plane);
    }
    if (camera->camera_type == 1) tn_f32(io, "field_of_view", &camera->field_of_view);
    if (camera->camera_type == 2) tn_f32s(io, "magnification", camera->magnification, 2);
    tn_leave(io);
}

static void gpb_describe_light(tn_io *io, tenon_gpb_light *light)
{
    tn_enter(io, "light");
    tn_u8(io, "light_type", &light->light_type);
    if (light->light_type != 0) tn_f32s(io, "color", light->color, 3);
    if (light->light_type == 2 || light->light_type == 3) tn_f32(io, "range", &light->range);
    if (light->light_type == 3) {
        tn_f32(io, "inner_angle", &light->inner_angle);
        tn_f32(io, "outer_angle", &light->outer_angle);
    }
    tn_leave(io);
}

static void gpb_describe_names(tn_io *io, const char *name, tenon_str **names, uint32_t *count)
{
    tn_list(io, name, names, count, sizeof **names, 4);
    for (uint32_t i = 0; tn_next(io, i, *count); i++) tn_str32(io, "", &(*names)[i]);
}

static void gpb_describe_model(tn_io *io, tenon_gpb_model *model)
{
    tn_enter(io, "model");
    tn_str32(io, "mesh", &model->mesh);
    // The engine takes "" and a lone "#" for "no model", and then reads nothing more.
    if (model->mesh.size > 1 && model->mesh.data[0] == '#') {
        tn_u8(io, "has_skin", &model->has_skin);
        if (model->has_skin) {
            tn_f32s(io, "bind_shape", model->bind_shape, 16);
            gpb_describe_names(io, "joints", &model->joints, &model->joint_count);
            tn_u32(io, "bind_pose_count", &model->bind_pose_count);
            tn_sized_records(io, "bind_poses", &model->bind_poses,
                             4 * (uint64_t)model->bind_pose_count, &gpb_matrix_layout,
                             &model->leftover);
        }
        gpb_describe_names(io, "materials", &model->materials, &model->material_count);
    }
    tn_leave(io);
}

static void gpb_describe_node(tn_io *io, tenon_gpb_node *node)
{
    tn_u32(io, "node_type", &node->node_type);
    tn_f32s(io, "transform", node->transform, 16);
    tn_str32(io, "parent_id", &node->parent_id);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, 78);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        gpb_describe_node(io, &node->children[i]);
    gpb_describe_camera(io, &node->camera);
    gpb_describe_light(io, &node->light);
    gpb_describe_model(io, &node->model);
}

static void gpb_describe_scene(tn_io *io, tenon_gpb_scene *scene)
{
    tn_list(io, "nodes", &scene->nodes, &scene->node_count, sizeof *scene->nodes, 78);
    for (uint32_t i = 0; tn_next(io, i, scene->node_count); i++)
        gpb_describe_node(io, &scene->nodes[i]);
    tn_str32(io, "active_camera", &scene->active_camera);
    tn_f32s(io, "ambient_color", scene->ambient_color, 3);
}

// -- Animations

static void gpb_describe_channel(tn_io *io, tenon_gpb_channel *c)
{
    tn_str32(io, "target_id", &c->target_id);
    tn_u32(io, "target_attribute", &c->target_attribute);
    tn_counted(io, "key_times", &c->key_times, &tn_layout_u32);
    tn_counted(io, "values", &c->values, &tn_layout_f32);
    tn_counted(io, "tangents_in", &c->tangents_in, &tn_layout_f32);
    tn_counted(io, "tangents_out", &c->tangents_out, &tn_layout_f32);
    tn_counted(io, "interpolations", &c->interpolations, &tn_layout_u32);
}

static void gpb_describe_animations(tn_io *io, tenon_gpb_animations *all)
{
    tn_list(io, "animations", &all->animations, &all->animation_count, sizeof *all->animations, 8);
    for (uint32_t i = 0; tn_next(io, i, all->animation_count); i++) {
        tenon_gpb_animation *a = &all->animations[i];
        tn_str32(io, "id", &a->id);
        tn_list(io, "channels", &a->channels, &a->channel_count, sizeof *a->channels, 28);
        for (uint32_t k = 0; tn_next(io, k, a->channel_count); k++)
            gpb_describe_channel(io, &a->channels[k]);
    }
}

// -- Fonts

static const tenon_element gpb_glyph_elements[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},
    {"width", TENON_TYPE_U32, 1, 0, 4},
    {"uv", TENON_TYPE_F32, 4, 0, 8},
};
static const tenon_layout gpb_glyph_layout = {gpb_glyph_elements, 3, 24, NULL, 0, NULL};

static const tenon_element gpb_glyph_elements_1_5[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},      {"width", TENON_TYPE_U32, 1, 0, 4},
    {"bearing_x", TENON_TYPE_I32, 1, 0, 8}, {"advance", TENON_TYPE_U32, 1, 0, 12},
    {"uv", TENON_TYPE_F32, 4, 0, 16},
};
static const tenon_layout gpb_glyph_layout_1_5 = {gpb_glyph_elements_1_5, 5, 32, NULL, 0, NULL};

static void gpb_describe_font_size(tn_io *io, tenon_gpb_font_size *s)
{
    bool has_advance = tn_has(io, TENON_GPB_FONT_ADVANCE);
    tn_u32(io, "size", &s->size);
    tn_str32(io, "charset", &s->charset);
    tn_counted(io, "glyphs", &s->glyphs, has_advance ? &gpb_glyph_layout_1_5 : &gpb_glyph_layout);
    tn_u32(io, "width", &s->width);
    tn_u32(io, "height", &s->height);
    tn_counted(io, "texels", &s->texels, &tn_layout_u8);
    if (tn_has(io, TENON_GPB_FONT_FORMAT)) tn_u32(io, "format", &s->format);
}

static void gpb_describe_font(tn_io *io, tenon_gpb_font *font)
{
    tn_str32(io, "family", &font->family);
    tn_u32(io, "style", &font->style);
    if (tn_has(io, TENON_GPB_FONT_SIZES)) {
        tn_list(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    } else {
        font->size_count = io->mode == TN_READ ? 1 : font->size_count;
        tn_items(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    }
    for (uint32_t i = 0; tn_next(io, i, font->size_count); i++)
        gpb_describe_font_size(io, &font->sizes[i]);
}

// -- Blocks

enum { GPB_COUNTS_MESHES = 1, GPB_COUNTS_OBJECTS = 2 };

// A block of the plan.
typedef struct gpb_place {
    const gpb_plan *plan;
    uint32_t index;
} gpb_place;

static uint64_t gpb_infer_kind(tn_io *io, const void *subject)
{
    const gpb_place *place = subject;
    (void)io;
    return place->plan->starts[place->index].type;
}

// Bytes up to the start of the block.
static uint64_t gpb_infer_gap(tn_io *io, const void *subject)
{
    const gpb_place *place = subject;
    uint32_t start = place->plan->starts[place->index].offset;
    if (start >= io->pos) return start - io->pos;
    tn_fail(io, TENON_ERR_VALUE, start, "",
            "a reference points to 0x%06" PRIx32 ", inside the object that ends at 0x%06" PRIx64,
            start, io->pos);
    return 0;
}

// The encoder puts the number of meshes before the first mesh, and that of the other objects before
// the first of those; other exporters do not.
static uint64_t gpb_infer_counts(tn_io *io, const void *subject)
{
    const gpb_place *place = subject;
    const gpb_plan *plan = place->plan;
    uint32_t meshes = plan->mesh_count, objects = plan->count - plan->mesh_count;
    uint64_t gap = gpb_infer_gap(io, subject);
    const uint8_t *p = tn_peek(io, io->pos, gap);
    bool is_mesh = plan->starts[place->index].type == TENON_GPB_MESH;
    if (io->failed || !p || plan->starts[place->index].type == TENON_GPB_FONT) return 0;
    if (is_mesh && place->index == 0 && gap == 4 && tn_load32(p, false) == meshes)
        return GPB_COUNTS_MESHES;
    if (!is_mesh && place->index == meshes && meshes && gap == 4 && tn_load32(p, false) == objects)
        return GPB_COUNTS_OBJECTS;
    if (!is_mesh && place->index == 0 && gap == 8 && tn_load32(p, false) == 0 &&
        tn_load32(p + 4, false) == objects)
        return GPB_COUNTS_MESHES | GPB_COUNTS_OBJECTS;
    return 0;
}

static void gpb_describe_body(tn_io *io, tenon_gpb_block *block)
{
    switch (block->kind) {
    case TENON_GPB_SCENE:
        gpb_describe_scene(io, &block->body.scene);
        break;
    case TENON_GPB_ANIMATIONS:
        gpb_describe_animations(io, &block->body.animations);
        break;
    case TENON_GPB_MESH:
        gpb_describe_mesh(io, &block->body.mesh);
        break;
    case TENON_GPB_FONT:
        gpb_describe_font(io, &block->body.font);
        break;
    default:
        break;
    }
}

static void gpb_describe_block(tn_io *io, tenon_gpb_block *block, const gpb_place *place)
{
    tn_inferred_u32(io, "kind", &block->kind, gpb_infer_kind, place);
    tn_inferred_u32(io, "counts", &block->counts, gpb_infer_counts, place);
    if (block->counts & GPB_COUNTS_MESHES) tn_u32(io, "mesh_count", &block->mesh_count);
    if (block->counts & GPB_COUNTS_OBJECTS) tn_u32(io, "object_count", &block->object_count);
    tn_inferred_u32(io, "gap_size", &block->gap_size, gpb_infer_gap, place);
    if (block->gap_size) tn_bytes(io, "gap", &block->gap, block->gap_size);
    gpb_describe_body(io, block);
}

void gpb_describe(tn_io *io, void *any)
{
    tenon_gpb *doc = any;
    tn_magic(io, "magic", GPB_MAGIC, 9);
    tn_u8s(io, "version", doc->version, 2);
    tn_list(io, "references", &doc->references, &doc->reference_count, sizeof *doc->references, 12);
    for (uint32_t i = 0; tn_next(io, i, doc->reference_count); i++) {
        tn_str32(io, "id", &doc->references[i].id);
        tn_u32(io, "type", &doc->references[i].type);
        tn_u32(io, "offset", &doc->references[i].offset);
    }
    gpb_plan plan = {0};
    if (io->mode == TN_READ) {
        plan = gpb_make_plan(io, doc);
        doc->block_count = plan.count;
    }
    tn_inferred_items(io, "blocks", &doc->blocks, &doc->block_count, sizeof *doc->blocks, 4);
    for (uint32_t i = 0; tn_next(io, i, doc->block_count); i++)
        gpb_describe_block(io, &doc->blocks[i], &(gpb_place){&plan, i});
}
