// import_cameras.c: cameras and lights.
// SPDX-License-Identifier: MIT
//
// In Assimp's nodes they look wherever they like; ours look along -Z, so that their nodes turn.

#include "import.h"

#include <math.h>
#include <string.h>

// The rotation from -Z forward and +Y up to these directions.
static quat rotation_to(vec3 forward, vec3 up)
{
    vec3 back = vec3_scale(vec3_normal(forward), -1);
    if (vec3_length(back) == 0) return quat_identity;
    vec3 right = vec3_normal(vec3_cross(up, back));
    if (vec3_length(right) == 0)
        right =
            vec3_normal(vec3_cross(fabs(back.x) < 0.5 ? (vec3){1, 0, 0} : (vec3){0, 1, 0}, back));
    vec3 top = vec3_cross(back, right);
    mat4 axes = {{right.x, right.y, right.z, 0, top.x, top.y, top.z, 0, back.x, back.y, back.z, 0,
                  0, 0, 0, 1}};
    trs parts;
    (void)mat4_decompose(&axes, &parts);
    return parts.rotation;
}

// The node that is to look that way. TENON_NONE: it cannot, since other things hang on it.
static uint32_t aim(assimp_importer *importer, const char *name, struct aiVector3D place,
                    struct aiVector3D forward, struct aiVector3D up)
{
    uint32_t index = import_node_named(importer, name);
    if (index == TENON_NONE) return TENON_NONE;
    import_node *n = &importer->nodes[index];
    quat turn = import_rotation(importer, rotation_to(vec3_of(forward), vec3_of(up)));
    vec3 move = import_point(importer, vec3_of(place));
    bool is_still = fabs(turn.w) > 1 - 1e-9 && vec3_length(move) == 0;
    if (is_still) return index;
    if (n->has_post || n->end->mNumChildren || n->real->mNumMeshes) return TENON_NONE;
    n->has_post = true;
    n->post_turn = turn;
    n->post_move = move;
    return index;
}

// -- Cameras

static void take_camera(assimp_importer *importer, const struct aiCamera *from)
{
    uint32_t node = aim(importer, from->mName.data, from->mPosition, from->mLookAt, from->mUp);
    if (node == TENON_NONE) {
        import_report_loss(importer, TENON_DROPPED, "cameras",
                           "their node cannot be turned to where they look", 1, from->mName.data);
        return;
    }
    double aspect = finite_or((double)from->mAspect, 0),
           wide = finite_or((double)from->mHorizontalFOV, 0);
    if (!(aspect > 0)) aspect = 0;
    // FBX and others give the angle from side to side, Assimp says; some give half of it.
    if (!(wide > 0 && wide < 3.1)) wide = 0.8;
    double high = 2 * atan(tan(wide / 2) / (aspect > 0 ? aspect : 1));
    double near_plane = finite_or((double)from->mClipPlaneNear, 0) * importer->space.scale;
    double far_plane = finite_or((double)from->mClipPlaneFar, 0) * importer->space.scale;
    if (!(near_plane > 0)) near_plane = 0.01;
    uint32_t index = importer->scene->camera_count++;
    importer->scene->cameras[index] =
        (tenon_camera){.name = import_name(importer, from->mName.data),
                       .field_of_view = high,
                       .aspect_ratio = aspect,
                       .near_plane = near_plane,
                       .far_plane = far_plane > near_plane ? far_plane : 0};
    importer->camera_of[node] = index;
}

// -- Lights

static bool kind_of(enum aiLightSourceType type, tenon_light_kind *kind)
{
    switch (type) {
    case aiLightSource_DIRECTIONAL:
        *kind = TENON_DIRECTIONAL_LIGHT;
        return true;
    case aiLightSource_POINT:
        *kind = TENON_POINT_LIGHT;
        return true;
    case aiLightSource_SPOT:
        *kind = TENON_SPOT_LIGHT;
        return true;
    default:
        return false;
    }
}

static void take_light(assimp_importer *importer, const struct aiLight *from)
{
    tenon_light to = {.name = import_name(importer, from->mName.data)};
    struct aiVector3D forward = from->mDirection;
    if (from->mType == aiLightSource_POINT) forward = (struct aiVector3D){0, 0, -1};
    uint32_t node = kind_of(from->mType, &to.kind)
                        ? aim(importer, from->mName.data, from->mPosition, forward, from->mUp)
                        : TENON_NONE;
    if (node == TENON_NONE) {
        import_report_loss(importer, TENON_DROPPED, "lights",
                           "they shine from areas, or their node cannot turn", 1, from->mName.data);
        return;
    }
    const double color[3] = {(double)from->mColorDiffuse.r, (double)from->mColorDiffuse.g,
                             (double)from->mColorDiffuse.b};
    double most = fmax(color[0], fmax(color[1], color[2]));
    to.intensity = most > 0 && isfinite(most) ? most : 0;
    for (int i = 0; i < 3; i++)
        to.color[i] = to.intensity > 0 ? fmax(0, finite_or(color[i], 0)) / to.intensity : 1;
    double outer = finite_or((double)from->mAngleOuterCone, 0) / 2;
    double inner = finite_or((double)from->mAngleInnerCone, 0) / 2;
    to.outer_angle = outer > 0 && outer < 1.57 ? outer : 0.785;
    to.inner_angle = inner >= 0 && inner < to.outer_angle ? inner : 0;
    uint32_t index = importer->scene->light_count++;
    importer->scene->lights[index] = to;
    importer->light_of[node] = index;
}

void import_cameras(assimp_importer *importer)
{
    importer->camera_of = import_alloc(importer->node_count, sizeof *importer->camera_of);
    importer->light_of = import_alloc(importer->node_count, sizeof *importer->light_of);
    memset(importer->camera_of, 0xff, importer->node_count * sizeof *importer->camera_of);
    memset(importer->light_of, 0xff, importer->node_count * sizeof *importer->light_of);
    importer->scene->cameras = import_scene_alloc(importer, importer->assimp->mNumCameras,
                                                  sizeof *importer->scene->cameras);
    importer->scene->lights =
        import_scene_alloc(importer, importer->assimp->mNumLights, sizeof *importer->scene->lights);
    for (unsigned i = 0; i < importer->assimp->mNumCameras; i++)
        take_camera(importer, importer->assimp->mCameras[i]);
    for (unsigned i = 0; i < importer->assimp->mNumLights; i++)
        take_light(importer, importer->assimp->mLights[i]);
}
