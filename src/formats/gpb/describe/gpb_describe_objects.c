// gpb_describe_objects.c: the bytes of objects: meshes, animations, fonts, nodes and their parts.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

// -- References

// An object that can have a reference starts here. `plan` is used in READ only.
static void gpb_describe_place(tn_io *io, gpb_plan *plan, uint32_t type, uint32_t *reference)
{
    if (io->mode == TN_WRITE) {
        tn_here(io, *reference);
        return;
    }
    *reference = io->failed ? TENON_NONE : gpb_find_place(plan, type, io->pos);
    if (*reference != TENON_NONE) plan->found_count++;
}

// The same for objects that have references in dialect "document" only.
static void gpb_describe_entry(tn_io *io, gpb_plan *plan, uint32_t type, uint32_t *entry)
{
    if (!(io->flags & TENON_GPB_DOCUMENT)) return;
    uint32_t reference = *entry ? *entry - 1 : TENON_NONE;
    gpb_describe_place(io, plan, type, &reference);
    if (io->mode == TN_READ) *entry = reference == TENON_NONE ? 0 : reference + 1;
}

// -- Meshes

const char *gpb_usage_name(uint32_t usage)
{
    static const char *const names[] = {
        "unknown",   "position",  "normal",    "color",     "tangent",   "binormal",
        "weights",   "indices",   "texcoord0", "texcoord1", "texcoord2", "texcoord3",
        "texcoord4", "texcoord5", "texcoord6", "texcoord7",
    };
    return names[usage < sizeof names / sizeof names[0] ? usage : 0];
}

static void gpb_describe_bounds(tn_io *io, tenon_gpb_bounds *bounds)
{
    tn_enter(io, "bounds");
    tn_f32s(io, "min", bounds->min, 3);
    tn_f32s(io, "max", bounds->max, 3);
    tn_f32s(io, "center", bounds->center, 3);
    tn_f32(io, "radius", &bounds->radius);
    tn_leave(io);
}

static void gpb_describe_part(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_part *part = object;
    gpb_describe_entry(io, plan, TENON_GPB_PART, &part->entry);
    tn_u32(io, "primitive_type", &part->primitive_type);
    tn_u32(io, "index_format", &part->index_format);
    tn_u32(io, "index_size", &part->index_size);
    const tenon_layout *layout = part->index_format == 0x1401   ? &tn_layout_u8
                                 : part->index_format == 0x1403 ? &tn_layout_u16
                                                                : &tn_layout_u32;
    tn_sized_records(io, "indices", &part->indices, part->index_size, layout, &part->leftover);
}

static void gpb_describe_mesh(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_mesh *mesh = object;
    tn_list(io, "elements", &mesh->elements, &mesh->element_count, sizeof *mesh->elements, 8);
    for (uint32_t i = 0; tn_next(io, i, mesh->element_count); i++) {
        tn_u32(io, "usage", &mesh->elements[i].usage);
        tn_u32(io, "size", &mesh->elements[i].size);
    }
    tn_u32(io, "vertex_size", &mesh->vertex_size);
    tn_layout_builder b = tn_layout_begin(io, "vertices", &mesh->vertices, mesh->element_count);
    for (uint32_t i = 0; i < mesh->element_count; i++)
        tn_layout_add(&b, gpb_usage_name(mesh->elements[i].usage), TENON_TYPE_F32,
                      mesh->elements[i].size, 0);
    tn_sized_records(io, "vertices", &mesh->vertices, mesh->vertex_size, tn_layout_end(&b),
                     &mesh->leftover);
    gpb_describe_bounds(io, &mesh->bounds);
    tn_list(io, "parts", &mesh->parts, &mesh->part_count, sizeof *mesh->parts, 12);
    for (uint32_t i = 0; tn_next(io, i, mesh->part_count); i++)
        gpb_describe_part(io, plan, &mesh->parts[i]);
}

// -- Animations

static void gpb_describe_channel(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_channel *c = object;
    gpb_describe_entry(io, plan, TENON_GPB_CHANNEL, &c->entry);
    tn_str32(io, "target_id", &c->target_id);
    tn_u32(io, "target_attribute", &c->target_attribute);
    // Version 1.0 changed milliseconds from floats to integers. The last key, which is the largest,
    // shows the type: half a millisecond as a float would be twelve days as an integer.
    const uint8_t *count = gpb_reads_file(io) && !io->failed ? tn_peek(io, io->pos, 4) : NULL;
    const uint8_t *last =
        count ? tn_peek(io, io->pos + 4 * (uint64_t)tn_load32(count, false), 4) : NULL;
    uint32_t bits = last && last != count ? tn_load32(last, false) : 0;
    bool is_float = (io->flags & TENON_GPB_FLOAT_TIMES) != 0;
    if (bits != 0 && tn_has(io, TENON_GPB_FLOAT_TIMES) != (bits >= 0x3f000000u)) tn_doubt(io);
    tn_counted(io, "key_times", &c->key_times, is_float ? &tn_layout_f32 : &tn_layout_u32);
    tn_counted(io, "values", &c->values, &tn_layout_f32);
    tn_counted(io, "tangents_in", &c->tangents_in, &tn_layout_f32);
    tn_counted(io, "tangents_out", &c->tangents_out, &tn_layout_f32);
    tn_counted(io, "interpolations", &c->interpolations, &tn_layout_u32);
}

static void gpb_describe_channels(tn_io *io, gpb_plan *plan, tenon_gpb_animation *animation)
{
    tn_list(io, "channels", &animation->channels, &animation->channel_count,
            sizeof *animation->channels, 28);
    for (uint32_t i = 0; tn_next(io, i, animation->channel_count); i++)
        gpb_describe_channel(io, plan, &animation->channels[i]);
}

static void gpb_describe_animation(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_animation *animation = object;
    gpb_describe_entry(io, plan, TENON_GPB_ANIMATION, &animation->entry);
    tn_str32(io, "id", &animation->id);
    gpb_describe_channels(io, plan, animation);
}

// A list without a count, in versions that allow only one item.
static void gpb_describe_one(tn_io *io, const char *name, uint32_t *count)
{
    if (io->mode == TN_READ)
        *count = 1;
    else if (*count != 1)
        tn_fail(io, TENON_ERR_VALUE, io->pos, name,
                "'%s' has %u items, but this dialect allows one", name, *count);
}

static void gpb_describe_animations(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_animations *all = object;
    if (tn_has(io, TENON_GPB_BARE_ANIMATIONS)) {
        gpb_describe_one(io, "animations", &all->animation_count);
        tn_items(io, "animations", &all->animations, &all->animation_count, sizeof *all->animations,
                 4);
        for (uint32_t i = 0; tn_next(io, i, all->animation_count); i++)
            gpb_describe_channels(io, plan, &all->animations[i]);
        return;
    }
    tn_list(io, "animations", &all->animations, &all->animation_count, sizeof *all->animations, 8);
    for (uint32_t i = 0; tn_next(io, i, all->animation_count); i++)
        gpb_describe_animation(io, plan, &all->animations[i]);
}

// -- Fonts

static const tenon_element gpb_glyph_elements[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},
    {"width", TENON_TYPE_U32, 1, 0, 4},
    {"uv", TENON_TYPE_F32, 4, 0, 8},
};
const tenon_layout gpb_glyph_layout = {gpb_glyph_elements, 3, 24, NULL, 0, NULL};

static const tenon_element gpb_glyph_elements_1_5[] = {
    {"code", TENON_TYPE_U32, 1, 0, 0},      {"width", TENON_TYPE_U32, 1, 0, 4},
    {"bearing_x", TENON_TYPE_I32, 1, 0, 8}, {"advance", TENON_TYPE_U32, 1, 0, 12},
    {"uv", TENON_TYPE_F32, 4, 0, 16},
};
const tenon_layout gpb_glyph_layout_1_5 = {gpb_glyph_elements_1_5, 5, 32, NULL, 0, NULL};

static void gpb_describe_font(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_font *font = object;
    (void)plan;
    tn_str32(io, "family", &font->family);
    tn_u32(io, "style", &font->style);
    if (tn_has(io, TENON_GPB_FONT_UNICODE)) {
        tn_u32(io, "unicode", &font->unicode);
        if (font->unicode) {
            tn_counted(io, "face_sizes", &font->face_sizes, &tn_layout_u32);
            tn_counted(io, "face", &font->face, &tn_layout_u8);
            return;
        }
    }
    if (tn_has(io, TENON_GPB_FONT_SIZES)) {
        tn_list(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    } else {
        gpb_describe_one(io, "sizes", &font->size_count);
        tn_items(io, "sizes", &font->sizes, &font->size_count, sizeof *font->sizes, 24);
    }
    for (uint32_t i = 0; tn_next(io, i, font->size_count); i++) {
        tenon_gpb_font_size *size = &font->sizes[i];
        bool has_advance = tn_has(io, TENON_GPB_FONT_ADVANCE);
        tn_u32(io, "size", &size->size);
        tn_str32(io, "charset", &size->charset);
        tn_counted(io, "glyphs", &size->glyphs,
                   has_advance ? &gpb_glyph_layout_1_5 : &gpb_glyph_layout);
        tn_u32(io, "width", &size->width);
        tn_u32(io, "height", &size->height);
        tn_counted(io, "texels", &size->texels, &tn_layout_u8);
        if (!tn_has(io, TENON_GPB_FONT_FORMAT)) continue;
        tn_u32(io, "format", &size->format);
        if (io->keeps_parts && io->failed) size->format = TENON_NONE;  // gpb_recover() guesses it.
    }
}

// -- Nodes and their parts

static const tenon_element gpb_matrix_element = {"", TENON_TYPE_F32, 16, 0, 0};
const tenon_layout gpb_matrix_layout = {&gpb_matrix_element, 1, 64, NULL, 0, NULL};

static void gpb_doubt_unless(tn_io *io, bool likely)
{
    if (!likely) tn_doubt(io);
}

// -- Optional parts of nodes
//
// The documentation does not say how a node without a camera, a light or a model is stored. The
// engine stores a type of 0 and an empty name. TENON_GPB_FLAGS stores a byte before each part. With
// TENON_GPB_NOTHING, absent parts have no bytes, with TENON_GPB_NO_MODEL only absent models.
// Whether a part is present is then inferred from the table and from the values that it would have.
// A flag is queried only where it changes what is read.

#define GPB_NUMBER_MOST  1.0e9f
#define GPB_NUMBER_LEAST 1.0e-6f  // Except 0: smaller floats are probably integers or text.
#define GPB_NAME_MOST    4999     // Bytes of a plausible name.

static float gpb_peek_f32(const uint8_t *p, uint32_t index)
{
    return tn_load_f32(p + 4 * (uint64_t)index, false);
}

// Whether a number is plausible: 0, or of a size that occurs in models.
static bool gpb_is_likely(float v, bool may_be_zero)
{
    float size = v < 0 ? -v : v;
    return (size >= GPB_NUMBER_LEAST && size <= GPB_NUMBER_MOST) || (may_be_zero && size == 0);
}

// Whether another object starts here, so that this part is absent.
static bool gpb_is_other_object(const tn_io *io, const gpb_plan *plan, uint32_t type)
{
    static const uint32_t others[] = {TENON_GPB_SCENE, TENON_GPB_NODE,  TENON_GPB_ANIMATIONS,
                                      TENON_GPB_MODEL, TENON_GPB_LIGHT, TENON_GPB_CAMERA,
                                      TENON_GPB_MESH,  TENON_GPB_EFFECT};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] != type && gpb_find_place(plan, others[i], io->pos) != TENON_NONE)
            return true;
    return false;
}

static uint64_t gpb_infer_camera(tn_io *io, const void *subject)
{
    const gpb_plan *plan = subject;
    const uint8_t *p = tn_peek(io, io->pos, 17);
    if (!p || gpb_is_other_object(io, plan, TENON_GPB_CAMERA)) return 0;
    if (gpb_find_place(plan, TENON_GPB_CAMERA, io->pos) != TENON_NONE) return 1;
    uint32_t type = p[0] + tn_has(io, TENON_GPB_FROM_ZERO);
    float aspect = gpb_peek_f32(p + 1, 0), near = gpb_peek_f32(p + 1, 1);
    float far = gpb_peek_f32(p + 1, 2), lens = gpb_peek_f32(p + 1, 3);
    bool is_likely = aspect > 0 && gpb_is_likely(aspect, false) && gpb_is_likely(near, true) &&
                     gpb_is_likely(far, true) && near < far && lens > 0 &&
                     gpb_is_likely(lens, false);
    if (type == 1) return is_likely && lens <= 360;
    const uint8_t *height = tn_peek(io, io->pos + 17, 4);
    return type == 2 && is_likely && height && gpb_is_likely(gpb_peek_f32(height, 0), false);
}

static uint64_t gpb_infer_light(tn_io *io, const void *subject)
{
    const gpb_plan *plan = subject;
    const uint8_t *p = tn_peek(io, io->pos, 13);
    if (!p || gpb_is_other_object(io, plan, TENON_GPB_LIGHT)) return 0;
    if (gpb_find_place(plan, TENON_GPB_LIGHT, io->pos) != TENON_NONE) return 1;
    uint32_t type = p[0] + tn_has(io, TENON_GPB_FROM_ZERO);
    uint32_t count = type == 2 ? 4 : type == 3 ? 6 : 3;
    const uint8_t *numbers = tn_peek(io, io->pos + 1, 4 * (uint64_t)count);
    if (type < 1 || type > 3 || !numbers) return 0;
    bool is_black = true;
    for (uint32_t i = 0; i < count; i++) {
        float v = gpb_peek_f32(numbers, i);
        if (v < 0 || !gpb_is_likely(v, true)) return 0;
        if (i < 3 && v > 0) is_black = false;
    }
    return !is_black || count > 3;
}

// A model starts with the name of a mesh. At the end of a scene, the name of the active camera
// follows instead, and then a color, up to the next object.
static uint64_t gpb_infer_model(tn_io *io, const void *subject)
{
    const gpb_plan *plan = subject;
    const uint8_t *p = tn_peek(io, io->pos, 4);
    uint64_t size = p ? tn_load32(p, false) : 0;
    if (size == 0 || size > GPB_NAME_MOST || gpb_is_other_object(io, plan, TENON_GPB_MODEL))
        return 0;
    if (gpb_find_place(plan, TENON_GPB_MODEL, io->pos) != TENON_NONE) return 1;
    const uint8_t *name = tn_peek(io, io->pos + 4, size);
    for (uint64_t i = 0; name && i < size; i++)
        if (name[i] < ' ' || name[i] == 0x7f) return 0;
    return name && gpb_next_place(plan, io->pos, io->end) != io->pos + 4 + size + 12;
}

// Whether the next camera, light or model is present. With one of the flags `nothing`, an absent
// one has no bytes. `is_plain`: otherwise the part itself says whether it is present.
static bool gpb_describe_presence(tn_io *io, const gpb_plan *plan, const char *name, uint32_t *has,
                                  tn_infer_fn *infer, uint32_t nothing, bool is_plain)
{
    if (!(io->flags & TENON_GPB_DOCUMENT)) return true;
    if (tn_has(io, TENON_GPB_FLAGS)) {
        uint8_t flag = *has != 0;
        uint64_t at = io->pos;
        tn_u8(io, name, &flag);
        if (io->mode == TN_READ) *has = flag;
        if (flag > 1) tn_fail(io, TENON_ERR_VALUE, at, name, "'%s' is %u, not 0 or 1", name, flag);
        return flag && !io->failed;
    }
    if (io->flags & nothing) {
        tn_inferred_u32(io, name, has, infer, plan);
        if (!*has) (void)tn_has(io, nothing);
        return *has && !io->failed;
    }
    // If types start at 0, there is no number for "none": every node has all parts.
    if (!is_plain && gpb_reads_file(io) && !io->failed && !infer(io, plan))
        (void)tn_has(io, TENON_GPB_NOTHING);
    return true;
}

// The type of a camera or a light. Returns whether its fields follow.
static bool gpb_describe_type(tn_io *io, const char *name, uint8_t *type)
{
    const uint32_t apart = TENON_GPB_FROM_ZERO | TENON_GPB_NOTHING | TENON_GPB_FLAGS;
    uint8_t base = (io->flags & TENON_GPB_DOCUMENT) && tn_has(io, TENON_GPB_FROM_ZERO);
    uint8_t stored = (uint8_t)(*type - base);
    tn_u8(io, name, &stored);
    if (io->mode == TN_READ) *type = (uint8_t)(stored + base);
    if (*type == 0) (void)tn_has(io, TENON_GPB_DOCUMENT | apart);
    return *type != 0 || (io->flags & apart);
}

static void gpb_describe_camera(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_camera *camera = object;
    gpb_describe_place(io, plan, TENON_GPB_CAMERA, &camera->reference);
    if (gpb_describe_type(io, "camera_type", &camera->camera_type)) {
        tn_f32(io, "aspect_ratio", &camera->aspect_ratio);
        tn_f32(io, "near_plane", &camera->near_plane);
        tn_f32(io, "far_plane", &camera->far_plane);
    }
    gpb_doubt_unless(io, camera->camera_type <= 2);
    if (camera->camera_type == 1) tn_f32(io, "field_of_view", &camera->field_of_view);
    if (camera->camera_type == 2) tn_f32s(io, "magnification", camera->magnification, 2);
}

static void gpb_describe_light(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_light *light = object;
    gpb_describe_place(io, plan, TENON_GPB_LIGHT, &light->reference);
    if (gpb_describe_type(io, "light_type", &light->light_type))
        tn_f32s(io, "color", light->color, 3);
    gpb_doubt_unless(io, light->light_type <= 3);
    bool is_spot = light->light_type == 3;
    if (light->light_type != 2 && !is_spot) return;
    // Version 1.0 has two layouts of the range.
    if (tn_has(io, TENON_GPB_LIGHT_ATTENUATION)) {
        tn_f32s(io, "attenuation", light->attenuation, 3);
        if (is_spot) tn_f32(io, "falloff_angle", &light->falloff_angle);
        if (is_spot) tn_f32(io, "falloff_exponent", &light->falloff_exponent);
        return;
    }
    tn_f32(io, "range", &light->range);
    if (is_spot) tn_f32(io, "inner_angle", &light->inner_angle);
    if (is_spot) tn_f32(io, "outer_angle", &light->outer_angle);
}

// -- Models

static void gpb_describe_material(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_material *material = object;
    gpb_describe_entry(io, plan, TENON_GPB_MATERIAL, &material->entry);
    tn_list(io, "parameters", &material->parameters, &material->parameter_count,
            sizeof *material->parameters, 12);
    for (uint32_t i = 0; tn_next(io, i, material->parameter_count); i++) {
        tenon_gpb_parameter *p = &material->parameters[i];
        tn_str32(io, "name", &p->name);
        tn_counted(io, "value", &p->value, &tn_layout_f32);
        tn_u32(io, "type", &p->type);
    }
    tn_str32(io, "effect", &material->effect);
}

static void gpb_describe_effect(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_effect *effect = object;
    (void)plan;
    // Source code, not names.
    tn_as(io, TN_ROLE_JUDGED);
    tn_str32(io, "vertex_shader", &effect->vertex_shader);
    tn_as(io, TN_ROLE_JUDGED);
    tn_str32(io, "fragment_shader", &effect->fragment_shader);
}

static void gpb_describe_skin(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_skin *skin = object;
    gpb_describe_entry(io, plan, TENON_GPB_SKIN, &skin->entry);
    tn_f32s(io, "bind_shape", skin->bind_shape, 16);
    if (tn_has(io, TENON_GPB_SKIN_ROOT)) tn_str32(io, "root_joint", &skin->root_joint);
    tn_list(io, "joints", &skin->joints, &skin->joint_count, sizeof *skin->joints, 4);
    for (uint32_t i = 0; tn_next(io, i, skin->joint_count); i++) tn_str32(io, "", &skin->joints[i]);
    tn_u32(io, "bind_pose_count", &skin->bind_pose_count);
    gpb_doubt_unless(io, skin->bind_pose_count == 16 * (uint64_t)skin->joint_count);
    tn_sized_records(io, "bind_poses", &skin->bind_poses, 4 * (uint64_t)skin->bind_pose_count,
                     &gpb_matrix_layout, &skin->leftover);
    if (tn_has(io, TENON_GPB_DOCUMENT)) gpb_describe_bounds(io, &skin->bounds);
}

// A skin is recognized by its second count, which is 16 times the first. Without joints, only its
// matrix distinguishes it from a list of materials, which starts with a small integer.
static uint64_t gpb_infer_skin(tn_io *io, const void *subject)
{
    gpb_plan *plan = *(gpb_plan *const *)subject;
    if (gpb_find_place(plan, TENON_GPB_SKIN, io->pos) != TENON_NONE) return 1;
    const uint8_t *p = tn_peek(io, io->pos, 68);
    if (!p) return 0;
    uint32_t joints = tn_load32(p + 64, false);
    uint64_t at = io->pos + 68;
    for (uint32_t i = 0; i < 16; i++)
        if (!gpb_is_likely(gpb_peek_f32(p, i), true) && joints == 0) return 0;
    for (uint32_t i = 0; i < joints; i++) {
        const uint8_t *size = tn_peek(io, at, 4);
        if (!size || tn_load32(size, false) > GPB_NAME_MOST || plan->search_steps++ >= io->total)
            return 0;
        at += 4 + (uint64_t)tn_load32(size, false);
    }
    const uint8_t *count = tn_peek(io, at, 4);
    return count && tn_load32(count, false) == 16 * (uint64_t)joints &&
           tn_peek(io, at + 4, 64 * (uint64_t)joints + 40 + 4) != NULL;
}

static void gpb_describe_model(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_model *model = object;
    gpb_describe_entry(io, plan, TENON_GPB_MODEL, &model->entry);
    tn_str32(io, "mesh", &model->mesh);
    if (!gpb_has_model(io->flags, model)) {
        // An absent model ends here, except with TENON_GPB_WHOLE.
        if (!(io->flags & TENON_GPB_DOCUMENT)) return;
        if (!tn_has(io, TENON_GPB_WHOLE)) (void)tn_has(io, TENON_GPB_NOTHING | TENON_GPB_NO_MODEL);
        if (!(io->flags & TENON_GPB_WHOLE)) return;
    }
    if ((io->flags & TENON_GPB_DOCUMENT) && tn_has(io, TENON_GPB_PLAIN_SKIN)) {
        uint32_t has_skin = model->has_skin;
        tn_inferred_u32(io, "has_skin", &has_skin, gpb_infer_skin, &plan);
        if (io->mode == TN_READ) model->has_skin = has_skin != 0;
    } else {
        tn_as(io, TN_ROLE_FLAG);
        tn_u8(io, "has_skin", &model->has_skin);
        gpb_doubt_unless(io, model->has_skin <= 1);
    }
    if (model->has_skin) {
        tn_enter(io, "skin");
        gpb_describe_skin(io, plan, &model->skin);
        tn_leave(io);
    }
    tn_list(io, "materials", &model->materials, &model->material_count, sizeof *model->materials,
            4);
    for (uint32_t i = 0; tn_next(io, i, model->material_count); i++) {
        if (tn_has(io, TENON_GPB_DOCUMENT))
            gpb_describe_material(io, plan, &model->materials[i]);
        else
            tn_str32(io, "", &model->materials[i].name);
    }
}

// -- Nodes

// The smallest size of a node in bytes.
static uint64_t gpb_min_node_size(const tn_io *io)
{
    return io->flags & TENON_GPB_DOCUMENT ? 72 : 78;
}

static void gpb_describe_node(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_node *node = object;
    gpb_describe_place(io, plan, TENON_GPB_NODE, &node->reference);
    tn_u32(io, "node_type", &node->node_type);
    gpb_doubt_unless(io, node->node_type == 1 || node->node_type == 2);
    gpb_doubt_unless(io, node->reference != TENON_NONE);
    tn_f32s(io, "transform", node->transform, 16);
    if (tn_has(io, TENON_GPB_PARENT_ID)) tn_str32(io, "parent_id", &node->parent_id);
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children,
            gpb_min_node_size(io));
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        gpb_describe_node(io, plan, &node->children[i]);
    bool is_plain = !(io->flags & TENON_GPB_FROM_ZERO);
    if (io->mode == TN_READ) node->camera.reference = node->light.reference = TENON_NONE;
    if (gpb_describe_presence(io, plan, "has_camera", &node->has_camera, gpb_infer_camera,
                              TENON_GPB_NOTHING, is_plain)) {
        tn_enter(io, "camera");
        gpb_describe_camera(io, plan, &node->camera);
        tn_leave(io);
    }
    if (gpb_describe_presence(io, plan, "has_light", &node->has_light, gpb_infer_light,
                              TENON_GPB_NOTHING, is_plain)) {
        tn_enter(io, "light");
        gpb_describe_light(io, plan, &node->light);
        tn_leave(io);
    }
    if (gpb_describe_presence(io, plan, "has_model", &node->has_model, gpb_infer_model,
                              TENON_GPB_NOTHING | TENON_GPB_NO_MODEL, true)) {
        tn_enter(io, "model");
        gpb_describe_model(io, plan, &node->model);
        tn_leave(io);
    } else if (io->mode == TN_READ) {
        node->model.mesh = (tenon_str){"", 0};
    }
}

static void gpb_describe_scene(tn_io *io, gpb_plan *plan, void *object)
{
    tenon_gpb_scene *scene = object;
    tn_list(io, "nodes", &scene->nodes, &scene->node_count, sizeof *scene->nodes,
            gpb_min_node_size(io));
    for (uint32_t i = 0; tn_next(io, i, scene->node_count); i++)
        gpb_describe_node(io, plan, &scene->nodes[i]);
    tn_str32(io, "active_camera", &scene->active_camera);
    tn_f32s(io, "ambient_color", scene->ambient_color, 3);
}

// -- All kinds

// `object` is a member of tenon_gpb_block.body.
static const struct {
    const char *name;
    void (*describe)(tn_io *io, gpb_plan *plan, void *object);
} gpb_kinds[] = {
    [TENON_GPB_SCENE] = {"scene", gpb_describe_scene},
    [TENON_GPB_NODE] = {"node", gpb_describe_node},
    [TENON_GPB_ANIMATIONS] = {"animations", gpb_describe_animations},
    [TENON_GPB_ANIMATION] = {"animation", gpb_describe_animation},
    [TENON_GPB_CHANNEL] = {"channel", gpb_describe_channel},
    [TENON_GPB_MODEL] = {"model", gpb_describe_model},
    [TENON_GPB_MATERIAL] = {"material", gpb_describe_material},
    [TENON_GPB_EFFECT] = {"effect", gpb_describe_effect},
    [TENON_GPB_CAMERA] = {"camera", gpb_describe_camera},
    [TENON_GPB_LIGHT] = {"light", gpb_describe_light},
    [TENON_GPB_MESH] = {"mesh", gpb_describe_mesh},
    [TENON_GPB_PART] = {"part", gpb_describe_part},
    [TENON_GPB_SKIN] = {"skin", gpb_describe_skin},
    [TENON_GPB_FONT] = {"font", gpb_describe_font},
};

const char *gpb_kind_name(uint32_t kind)
{
    return kind < sizeof gpb_kinds / sizeof gpb_kinds[0] ? gpb_kinds[kind].name : NULL;
}

void gpb_describe_body(tn_io *io, gpb_plan *plan, tenon_gpb_block *block)
{
    if (!gpb_kind_name(block->kind)) {
        tn_fail(io, TENON_ERR_VALUE, io->pos, "kind", "block kind %u does not exist", block->kind);
        return;
    }
    tn_enter(io, gpb_kinds[block->kind].name);
    gpb_kinds[block->kind].describe(io, plan, &block->body);
    tn_leave(io);
}
