// follow_joints.cpp: where the joints of a model are during a clip, in C++17.
// SPDX-License-Identifier: MIT
//
// Run: follow_joints samples/crane.gpb travel

#include <tenon/scene.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

// Objects free themselves; every type has a function that frees it.
template <auto Free> struct Deleter {
    template <typename T> void operator()(T *object) const { Free(object); }
};
using Scene = std::unique_ptr<tenon_scene, Deleter<tenon_scene_free>>;
using Pose = std::unique_ptr<tenon_pose, Deleter<tenon_pose_free>>;

// Text of files is not always terminated: it has a size.
static std::string_view view(const tenon_str &text)
{
    return {text.data, text.size};
}

static Scene load(const char *path)
{
    tenon_error err;
    Scene scene(tenon_import_file(path, nullptr, nullptr, &err));
    if (!scene) throw std::runtime_error(err.message);
    return scene;
}

static std::vector<uint32_t> joints_of(const tenon_scene &scene)
{
    std::vector<uint32_t> joints;
    for (uint32_t i = 0; i < scene.node_count; i++)
        if (scene.nodes[i].is_joint) joints.push_back(i);
    return joints;
}

static void follow(const tenon_scene &scene, const char *clip_name)
{
    Pose pose(tenon_pose_new(&scene, nullptr, nullptr));
    if (!pose) throw std::bad_alloc();
    const uint32_t clip = tenon_find_animation(&scene, clip_name);
    if (clip == TENON_NONE) throw std::runtime_error("there is no such clip");
    const double duration = scene.animations[clip].duration;
    for (double seconds : {0.0, duration / 2, duration}) {
        tenon_pose_set(pose.get(), clip, seconds);
        for (uint32_t joint : joints_of(scene)) {
            const double *global = tenon_pose_global(pose.get(), joint);  // Column by column.
            const auto name = view(scene.nodes[joint].name);
            std::printf("%5.2f s  %-12.*s %8.3f %8.3f %8.3f\n", seconds, int(name.size()),
                        name.data(), global[12], global[13], global[14]);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return std::fprintf(stderr, "usage: follow_joints MODEL CLIP\n"), 2;
    try {
        follow(*load(argv[1]), argv[2]);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s: %s\n", argv[1], problem.what());
        return 1;
    }
    return 0;
}
