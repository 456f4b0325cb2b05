// import_cameras.c: imports cameras and lights.
// SPDX-License-Identifier: MIT
//
// In Assimp's nodes they look in any direction; in a scene they look along -Z, so the node turns.

#include "import.h"

#include <math.h>
#include <string.h>

// Turn the node of that name so that -Z is `forward` and +Y is `up`. Returns its index; TENON_NONE
// if it does not exist or cannot turn, since it has meshes or children.
static uint32_t import_cameras_aim_node(assimp_importer *importer, const char *name,
                                        struct aiVector3D place, struct aiVector3D forward,
                                        struct aiVector3D up)
{
    uint32_t index = import_node_named(importer, name);
    if (index == TENON_NONE) return TENON_NONE;
    quat turn = quat_identity;
    vec3 back = vec3_scale(vec3_normal(vec3_of(forward)), -1);
    if (vec3_length(back) > 0) {
        vec3 right = vec3_normal(vec3_cross(vec3_of(up), back));
        vec3 other = fabs(back.x) < 0.5 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
        if (vec3_length(right) == 0) right = vec3_normal(vec3_cross(other, back));
        vec3 top = vec3_cross(back, right);
        mat4 axes = {{right.x, right.y, right.z, 0, top.x, top.y, top.z, 0,  //
                      back.x, back.y, back.z, 0, 0, 0, 0, 1}};
        trs parts;
        (void)mat4_decompose(&axes, &parts);
        turn = parts.rotation;
    }
    vec3 move = import_point(importer, vec3_of(place));
    if (fabs(turn.w) > 1 - 1e-9 && vec3_length(move) == 0) return index;
    import_node *node = &importer->nodes[index];
    if (node->has_post || node->from->mNumChildren || node->from->mNumMeshes) return TENON_NONE;
    node->has_post = true;
    node->post_turn = turn;
    node->post_move = move;
    return index;
}

static void import_camera(assimp_importer *importer, const struct aiCamera *from)
{
    uint32_t node = import_cameras_aim_node(importer, from->mName.data, from->mPosition,
                                            from->mLookAt, from->mUp);
    if (node == TENON_NONE) {
        import_report_loss(importer, TENON_DROPPED, "cameras",
                           "their node cannot turn to their direction", 1, from->mName.data);
        return;
    }
    double aspect = finite_or((double)from->mAspect, 0);
    double width = finite_or((double)from->mHorizontalFOV, 0);
    if (!(aspect > 0)) aspect = 0;
    // Assimp documents the full horizontal angle; some of its importers give half of it.
    if (!(width > 0 && width < 3.1)) width = 0.8;
    double height = 2 * atan(tan(width / 2) / (aspect > 0 ? aspect : 1));
    double near_plane = finite_or((double)from->mClipPlaneNear, 0) * importer->space.scale;
    double far_plane = finite_or((double)from->mClipPlaneFar, 0) * importer->space.scale;
    if (!(near_plane > 0)) near_plane = 0.01;
    uint32_t index = importer->scene->camera_count++;
    importer->scene->cameras[index] =
        (tenon_camera){.name = import_name(importer, from->mName.data),
                       .field_of_view = height,
                       .aspect_ratio = aspect,
                       .near_plane = near_plane,
                       .far_plane = far_plane > near_plane ? far_plane : 0};
    importer->camera_of[node] = index;
}

static void import_cameras_light(assimp_importer *importer, const struct aiLight *from)
{
    tenon_light light = {.name = import_name(importer, from->mName.data)};
    struct aiVector3D forward = from->mDirection;
    bool has_kind = true;
    switch (from->mType) {
    case aiLightSource_DIRECTIONAL:
        light.kind = TENON_DIRECTIONAL_LIGHT;
        break;
    case aiLightSource_POINT:
        light.kind = TENON_POINT_LIGHT;
        forward = (struct aiVector3D){0, 0, -1};
        break;
    case aiLightSource_SPOT:
        light.kind = TENON_SPOT_LIGHT;
        break;
    default:
        has_kind = false;
    }
    uint32_t node = has_kind ? import_cameras_aim_node(importer, from->mName.data, from->mPosition,
                                                       forward, from->mUp)
                             : TENON_NONE;
    if (node == TENON_NONE) {
        import_report_loss(importer, TENON_DROPPED, "lights",
                           "area lights are not supported, or the node cannot turn", 1,
                           from->mName.data);
        return;
    }
    const double color[3] = {(double)from->mColorDiffuse.r, (double)from->mColorDiffuse.g,
                             (double)from->mColorDiffuse.b};
    double most = fmax(color[0], fmax(color[1], color[2]));
    light.intensity = most > 0 && isfinite(most) ? most : 0;
    for (int i = 0; i < 3; i++)
        light.color[i] =
            light.intensity > 0 ? fmax(0, finite_or(color[i], 0)) / light.intensity : 1;
    double outer = finite_or((double)from->mAngleOuterCone, 0) / 2;
    double inner = finite_or((double)from->mAngleInnerCone, 0) / 2;
    light.outer_angle = outer > 0 && outer < 1.57 ? outer : 0.785;
    light.inner_angle = inner >= 0 && inner < light.outer_angle ? inner : 0;
    uint32_t index = importer->scene->light_count++;
    importer->scene->lights[index] = light;
    importer->light_of[node] = index;
}

void import_cameras(assimp_importer *importer)
{
    const struct aiScene *from = importer->assimp;
    tenon_scene *scene = importer->scene;
    uint32_t count = importer->node_count;
    importer->camera_of = import_alloc(count, sizeof *importer->camera_of);
    importer->light_of = import_alloc(count, sizeof *importer->light_of);
    memset(importer->camera_of, 0xff, count * sizeof *importer->camera_of);
    memset(importer->light_of, 0xff, count * sizeof *importer->light_of);
    scene->cameras = import_scene_alloc(importer, from->mNumCameras, sizeof *scene->cameras);
    scene->lights = import_scene_alloc(importer, from->mNumLights, sizeof *scene->lights);
    for (unsigned i = 0; i < from->mNumCameras; i++) import_camera(importer, from->mCameras[i]);
    for (unsigned i = 0; i < from->mNumLights; i++)
        import_cameras_light(importer, from->mLights[i]);
}
