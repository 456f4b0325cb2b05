// findings_picture.c: a picture of a model on which findings are marked.
// SPDX-License-Identifier: MIT

#include "pictures/findings_picture.h"

#include "input/job.h"
#include "input/paths.h"
#include "pictures/drawing.h"
#include "pictures/label.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH     800
#define HEIGHT    600  // Of the model; the list is below.
#define AZIMUTH   0.6
#define ELEVATION 0.35
#define SCALE     2
#define LINE      (LABEL_ROWS * SCALE)
#define GAP       8
#define LIST_MOST 24  // Lines.
#define FRAME     6   // Pixels from what is marked to the frame around it.
#define BADGES    99  // Numbers that are drawn.

static const uint8_t ink[4] = {40, 44, 52, 255}, paper[4] = {226, 229, 233, 255};
static const uint8_t white[4] = {255, 255, 255, 255};
static const uint8_t colors[][4] = {[TENON_INFO] = {40, 90, 200, 255},
                                    [TENON_WARNING] = {190, 100, 0, 255},
                                    [TENON_ERROR] = {200, 20, 40, 255}};

// -- Collecting

void finding_marks_add(finding_marks *marks, const tenon_finding *finding)
{
    if (marks->count == marks->capacity) {
        uint32_t capacity = marks->capacity ? 2 * marks->capacity : 64;
        finding_mark *items = realloc(marks->items, capacity * sizeof *items);
        if (!items) marks->failed = true;
        if (!items) return;
        marks->items = items;
        marks->capacity = capacity;
    }
    char *path = text_copy(finding->path, strlen(finding->path));
    if (!path) marks->failed = true;
    if (!path) return;
    marks->items[marks->count++] = (finding_mark){.part = {.path = path, .offset = finding->offset},
                                                  .rule = finding->rule,
                                                  .severity = finding->severity};
}

void finding_marks_free(finding_marks *marks)
{
    for (uint32_t i = 0; i < marks->count; i++) free((void *)(uintptr_t)marks->items[i].part.path);
    free(marks->items);
    *marks = (finding_marks){0};
}

// -- Places

static bool findings_locate(finding_marks *marks, const tenon_doc *doc, tenon_error *err)
{
    const tenon_scene_opts opts = {.allocator = job_allocator()};
    tenon_traced_part *parts = calloc(marks->count + 1u, sizeof *parts);
    if (!parts) return job_out_of_memory(err);
    for (uint32_t i = 0; i < marks->count; i++) parts[i] = marks->items[i].part;
    bool ok = tenon_trace_paths(doc, parts, marks->count, &opts, err);
    for (uint32_t i = 0; i < marks->count && ok; i++) {
        marks->items[i].part = parts[i];
        if (parts[i].mesh != TENON_NONE) marks->items[i].number = ++marks->marked;
    }
    free(parts);
    return ok;
}

// What findings are about as a whole gets their color.
static bool findings_tint(const finding_marks *marks, tenon_scene *scene, tenon_error *err)
{
    uint32_t materials[TENON_ERROR + 1] = {0};
    for (uint32_t i = 0; i < marks->count; i++) {
        const finding_mark *mark = &marks->items[i];
        if (!mark->number || mark->part.vertex_count || mark->part.mesh >= scene->mesh_count)
            continue;
        uint32_t *material = &materials[mark->severity];
        if (*material == 0) {
            uint32_t index = tenon_scene_add_material(scene, report_severity_word(mark->severity));
            if (index == TENON_NONE) return job_out_of_memory(err);
            tenon_material *to = &scene->materials[index];
            // About the same in linear light.
            for (int k = 0; k < 3; k++) {
                double share = colors[mark->severity][k] / 255.0;
                to->base_color[k] = share * share;
            }
            to->metallic = 0;
            to->double_sided = true;
            *material = index + 1;
        }
        tenon_mesh *mesh = &scene->meshes[mark->part.mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            if (mark->part.primitive == TENON_NONE || mark->part.primitive == p)
                mesh->primitives[p].material = *material - 1;
    }
    return true;
}

// -- Marks

// A rectangle of the picture that grows with the points that are added.
typedef struct mark_frame {
    double low[2], high[2];
    bool has_any;
} mark_frame;

static void findings_add_vertex(const drawing *d, const float *position, mark_frame *frame)
{
    double at[2];
    if (!tenon_view_project(&d->view, WIDTH, HEIGHT, position, at)) return;
    for (int k = 0; k < 2; k++) {
        if (!frame->has_any || at[k] < frame->low[k]) frame->low[k] = at[k];
        if (!frame->has_any || at[k] > frame->high[k]) frame->high[k] = at[k];
    }
    frame->has_any = true;
}

// Where the part of a finding is in the picture: of all nodes with its mesh, that of the first.
static bool findings_place(const drawing *d, const tenon_traced_part *part, float *positions,
                           mark_frame *frame)
{
    const tenon_scene *scene = d->scene;
    uint32_t node = 0;
    while (node < scene->node_count && scene->nodes[node].mesh != part->mesh) node++;
    if (node == scene->node_count) return false;
    const tenon_mesh *mesh = &scene->meshes[part->mesh];
    *frame = (mark_frame){0};
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        if (part->primitive != TENON_NONE && part->primitive != p) continue;
        const tenon_primitive *primitive = &mesh->primitives[p];
        if (!primitive->positions) continue;
        tenon_pose_skin(d->pose, node, p, positions, NULL);
        uint32_t count = part->vertex_count ? part->vertex_count : primitive->vertex_count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t vertex = part->vertex_count ? part->vertices[i] : i;
            if (vertex < primitive->vertex_count)
                findings_add_vertex(d, positions + 3 * (size_t)vertex, frame);
        }
    }
    return frame->has_any;
}

static void findings_put_frame(const canvas *to, const mark_frame *frame, uint32_t inset,
                               uint32_t thick, const uint8_t color[4])
{
    int64_t x = (int64_t)frame->low[0] - FRAME + inset, y = (int64_t)frame->low[1] - FRAME + inset;
    uint32_t width = (uint32_t)(frame->high[0] - frame->low[0]) + 2 * FRAME + 1 - 2 * inset;
    uint32_t height = (uint32_t)(frame->high[1] - frame->low[1]) + 2 * FRAME + 1 - 2 * inset;
    canvas_fill(to, x, y, width, thick, color);
    canvas_fill(to, x, y + height - thick, width, thick, color);
    canvas_fill(to, x, y, thick, height, color);
    canvas_fill(to, x + width - thick, y, thick, height, color);
}

// A number in the picture.
typedef struct badge {
    int64_t x, y;
    uint32_t width;
} badge;

// A frame around what is marked, and its number beside it, below those that are there already.
static void findings_put_mark(const canvas *to, const finding_mark *mark, const mark_frame *frame,
                              badge *badges, uint32_t *badge_count)
{
    char text[16];
    const uint8_t *color = colors[mark->severity];
    double at[2] = {frame->high[0] + FRAME + 2, frame->low[1] - LINE / 2.0};
    if (mark->part.vertex_count) {
        findings_put_frame(to, frame, 0, 4, white);
        findings_put_frame(to, frame, 1, 2, color);
    } else {
        for (int k = 0; k < 2; k++) at[k] = (frame->low[k] + frame->high[k]) / 2;
    }
    (void)snprintf(text, sizeof text, "%" PRIu32, mark->number);
    badge b = {(int64_t)at[0], (int64_t)at[1], label_width(text, SCALE) + 2 * SCALE};
    if (b.x > WIDTH - (int64_t)b.width) b.x = WIDTH - (int64_t)b.width;
    if (b.x < 0) b.x = 0;
    if (b.y < 0) b.y = 0;
    for (uint32_t i = 0; i < *badge_count; i++) {
        const badge *other = &badges[i];
        bool is_apart = b.x >= other->x + other->width || other->x >= b.x + b.width ||
                        b.y >= other->y + LINE || other->y >= b.y + LINE;
        if (is_apart) continue;
        b.y = other->y + LINE;
        i = UINT32_MAX;  // Compare it with all of them again.
    }
    if (b.y > HEIGHT - LINE) b.y = HEIGHT - LINE;
    badges[(*badge_count)++] = b;
    canvas_fill(to, b.x, b.y, b.width, LINE - 2, color);
    label_draw(to, b.x + SCALE, b.y, b.width, text, SCALE, white);
}

static bool findings_put_marks(const finding_marks *marks, const drawing *d, const canvas *to,
                               tenon_error *err)
{
    badge badges[BADGES];
    uint32_t badge_count = 0;
    const tenon_scene *scene = d->scene;
    uint64_t most = 0;
    for (uint32_t m = 0; m < scene->mesh_count; m++)
        for (uint32_t p = 0; p < scene->meshes[m].primitive_count; p++)
            if (scene->meshes[m].primitives[p].vertex_count > most)
                most = scene->meshes[m].primitives[p].vertex_count;
    uint64_t size = (most + 1) * 3 * sizeof(float);
    if (!tenon_budget_take(job_budget(), size)) return job_out_of_memory(err);
    float *positions = malloc((size_t)size);
    for (uint32_t i = 0; positions && i < marks->count; i++) {
        const finding_mark *mark = &marks->items[i];
        mark_frame frame;
        if (mark->number == 0 || mark->number > BADGES || mark->part.mesh >= scene->mesh_count)
            continue;
        if (findings_place(d, &mark->part, positions, &frame))
            findings_put_mark(to, mark, &frame, badges, &badge_count);
    }
    tenon_budget_give_back(job_budget(), size);
    if (!positions) return job_out_of_memory(err);
    free(positions);
    return true;
}

// -- The picture

// "3 error bplx/index-range faces[1]" for each mark, and how many there are beyond.
static void findings_put_list(const finding_marks *marks, const canvas *to)
{
    char text[256];
    int64_t y = HEIGHT + GAP / 2;
    uint32_t lines = 0;
    for (uint32_t i = 0; i < marks->count && lines < LIST_MOST; i++) {
        const finding_mark *mark = &marks->items[i];
        if (!mark->number) continue;
        (void)snprintf(text, sizeof text, "%" PRIu32 " %s %s %s", mark->number,
                       report_severity_word(mark->severity), mark->rule->id, mark->part.path);
        label_draw(to, GAP, y, WIDTH - 2 * GAP, text, SCALE, colors[mark->severity]);
        y += LINE;
        lines++;
    }
    uint32_t left = marks->marked - lines, others = marks->count - marks->marked;
    text[0] = '\0';
    if (left) (void)snprintf(text, sizeof text, "and %" PRIu32 " more", left);
    size_t used = strlen(text);
    if (others)
        (void)snprintf(text + used, sizeof text - used, "%s%" PRIu32 " without a place in a mesh",
                       left ? "; " : "", others);
    label_draw(to, GAP, y, WIDTH - 2 * GAP, marks->count ? text : "no findings", SCALE, ink);
}

bool findings_picture_write(finding_marks *marks, const model *input, const cli_common *common,
                            const char *path, bool force, tenon_error *err)
{
    const drawing_opts drawn = {.width = WIDTH,
                                .height = HEIGHT,
                                .azimuth = AZIMUTH,
                                .elevation = ELEVATION,
                                .background = {0.706, 0.741, 0.784, 1}};
    const scene_load_opts load = {.without_animations = true};
    loaded_scene loaded = {0};
    drawing d = {0};
    canvas picture = {.width = WIDTH};
    uint64_t size = 0;
    if (marks->failed) return job_out_of_memory(err);
    bool ok = findings_locate(marks, input->doc, err) &&
              scene_from_model(&loaded, common, input, &load, err) &&
              findings_tint(marks, loaded.scene, err) &&
              drawing_begin_scene(&d, common, input->file, loaded.scene, &drawn, err);
    uint32_t lines = (marks->marked < LIST_MOST ? marks->marked : LIST_MOST) + 1;
    picture.height = HEIGHT + GAP + LINE * lines;
    if (ok) picture.pixels = pixels_alloc(picture.width, picture.height, err);
    ok = picture.pixels && drawing_draw(&d, &drawn, picture.pixels, err);
    if (ok) {
        canvas_fill(&picture, 0, HEIGHT, WIDTH, picture.height - HEIGHT, paper);
        findings_put_list(marks, &picture);
        ok = findings_put_marks(marks, &d, &picture, err) &&
             drawing_write_canvas(&picture, path, force, &size, err);
    }
    pixels_free(picture.pixels, picture.width, picture.height);
    drawing_end(&d);
    scene_unload(&loaded);
    return ok;
}
