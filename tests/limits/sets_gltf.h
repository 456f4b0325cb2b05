// sets_gltf.h: glTF files of a size that can be chosen, each with very many of one thing.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_SETS_GLTF_H
#define TENON_LIMITS_SETS_GLTF_H

#include "set_text.h"

// -- Pieces of text

// Items 0 to n - 1 with commas between them; `item` has one %u or none.
static inline void gltf_list(set_text *t, const char *key, uint32_t n, const char *item)
{
    const char *at = strstr(item, "%u");
    set_put(t, ",\"%s\":[", key);
    for (uint32_t i = 0; i < n; i++) {
        if (i) set_put_bytes(t, ",", 1);
        set_put_bytes(t, item, at ? (size_t)(at - item) : strlen(item));
        if (at) set_put(t, "%u%s", (unsigned)i, at + 2);
    }
    set_put_bytes(t, "]", 1);
}

static inline void gltf_begin(set_text *t)
{
    set_put(t, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0");
}

// One buffer of `size` bytes, one view of it, which `accessors` use.
static inline void gltf_buffer(set_text *t, size_t size, const char *accessors)
{
    set_put(t,
            ",\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[{\"buffer\":0,"
            "\"byteLength\":%zu}],\"accessors\":[%s]",
            size, size, accessors);
}

#define GLTF_VECTORS(count)                                     \
    "{\"bufferView\":0,\"componentType\":5126,\"count\":" count \
    ",\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]}"

#define GLTF_ZERO "{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}"

static inline void gltf_triangle(set_text *bin)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 9; i++) set_put_f32(bin, corners[i]);
}

// The rest of a file whose nodes show mesh 0, a triangle.
static inline void gltf_end_triangle(set_text *out, set_text *t)
{
    set_text bin = {0};
    gltf_triangle(&bin);
    gltf_buffer(t, bin.size, GLTF_VECTORS("3"));
    set_put(t, "}");
    set_put_glb(out, t, &bin);
}

#define GLTF_ONE_MESH ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"

// -- Nodes

// Chains of 200 nodes, with a mesh at their ends.
static inline void make_gltf_chains(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0");
    for (uint32_t i = 200; i < n; i += 200) set_put(&t, ",%u", (unsigned)i);
    set_put(&t, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < n; i++) {
        bool ends = i % 200 == 199 || i == n - 1;
        set_put(&t, "%s{\"name\":\"n%u\",", i ? "," : "", (unsigned)i);
        set_put(&t, ends ? "\"mesh\":0}" : "\"children\":[%u]}", (unsigned)i + 1);
    }
    set_put(&t, "]" GLTF_ONE_MESH);
    gltf_end_triangle(out, &t);
}

// All nodes in one chain: too deep for most formats.
static inline void make_gltf_chain(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[");
    for (uint32_t i = 0; i + 1 < n; i++) set_put(&t, "{\"children\":[%u]},", (unsigned)i + 1);
    set_put(&t, "{\"mesh\":0}]" GLTF_ONE_MESH);
    gltf_end_triangle(out, &t);
}

static inline void put_children(set_text *t, uint32_t n, const char *root)
{
    gltf_begin(t);
    set_put(t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{%s\"children\":[1", root);
    for (uint32_t i = 2; i <= n; i++) set_put(t, ",%u", (unsigned)i);
    set_put(t, "]}");
}

static inline void make_gltf_children(set_text *out, uint32_t n)
{
    set_text t = {0};
    put_children(&t, n, "");
    for (uint32_t i = 0; i < n; i++) set_put(&t, ",{\"name\":\"n%u\",\"mesh\":0}", (unsigned)i);
    set_put(&t, "]" GLTF_ONE_MESH);
    gltf_end_triangle(out, &t);
}

// Everything has the same name.
static inline void make_gltf_same_names(set_text *out, uint32_t n)
{
    set_text t = {0};
    put_children(&t, n, "\"name\":\"a\",");
    for (uint32_t i = 0; i < n; i++) set_put(&t, ",{\"name\":\"a\",\"mesh\":%u}", (unsigned)i);
    set_put(&t, "]");
    gltf_list(&t, "meshes", n,
              "{\"name\":\"a\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
              "\"material\":%u}]}");
    gltf_list(&t, "materials", n, "{\"name\":\"a\"}");
    gltf_end_triangle(out, &t);
}

// Names that differ only in what file systems ignore.
static inline void make_gltf_near_names(set_text *out, uint32_t n)
{
    set_text t = {0};
    put_children(&t, n, "");
    for (uint32_t i = 0; i < n; i++)
        set_put(&t, ",{\"name\":\"%s\",\"mesh\":0}", i % 2 ? "A?_2" : "a/");
    set_put(&t, "]" GLTF_ONE_MESH);
    gltf_end_triangle(out, &t);
}

// Names that all have one slot of a hash table.
static inline void make_gltf_flood_names(set_text *out, uint32_t n)
{
    set_text t = {0};
    char name[FLOOD_SIZE + 1];
    put_children(&t, n, "");
    for (uint32_t i = 0; i < n; i++)
        set_put(&t, ",{\"name\":\"%s\",\"mesh\":%u}", set_flood_name(i, name), (unsigned)i);
    set_put(&t, "],\"meshes\":[");
    for (uint32_t i = 0; i < n; i++)
        set_put(&t,
                "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
                "\"material\":%u}]}",
                i ? "," : "", set_flood_name(i, name), (unsigned)i);
    set_put(&t, "],\"materials\":[");
    for (uint32_t i = 0; i < n; i++)
        set_put(&t, "%s{\"name\":\"%s\"}", i ? "," : "", set_flood_name(i, name));
    set_put(&t, "]");
    gltf_end_triangle(out, &t);
}

// A mesh of which every node has an instance that is stretched differently.
static inline void make_gltf_stretched(set_text *out, uint32_t n)
{
    set_text t = {0};
    put_children(&t, n, "");
    for (uint32_t i = 0; i < n; i++)
        set_put(&t, ",{\"mesh\":0,\"scale\":[1,2,%u.%03u],\"rotation\":[0.6,0,0,0.8]}",
                (unsigned)i / 1000 + 1, (unsigned)i % 1000);
    set_put(&t, "]" GLTF_ONE_MESH);
    gltf_end_triangle(out, &t);
}

// -- Meshes

static inline void make_gltf_primitives(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{");
    size_t start = t.size;
    gltf_list(&t, "primitives", n, "{\"attributes\":{\"POSITION\":0},\"material\":%u}");
    t.data[start] = ' ';
    set_put(&t, "}]");
    gltf_list(&t, "materials", n, "{\"name\":\"m%u\"}");
    gltf_end_triangle(out, &t);
}

// One mesh of n triangles without indices. Corner number i is where `place` puts it.
static inline void put_soup(set_text *out, uint32_t n, void (*place)(uint32_t i, float p[3]))
{
    set_text t = {0}, bin = {0};
    char accessor[256];
    for (uint32_t i = 0; i < 3 * n; i++) {
        float p[3];
        place(i, p);
        for (int k = 0; k < 3; k++) set_put_f32(&bin, p[k]);
    }
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    snprintf(accessor, sizeof accessor,
             "{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"}",
             3 * (unsigned)n);
    gltf_buffer(&t, bin.size, accessor);
    set_put(&t, "}");
    set_put_glb(out, &t, &bin);
}

static inline void place_same(uint32_t i, float p[3])
{
    (void)i;
    p[0] = p[1] = p[2] = 1;
}

static inline void place_line(uint32_t i, float p[3])
{
    p[0] = (float)i, p[1] = p[2] = 0;
}

// Triangles that share one corner and have nearly the same place: cells of grids are crowded.
static inline void place_heap(uint32_t i, float p[3])
{
    p[0] = i % 3 == 1 ? 1 : 0, p[1] = i % 3 == 2 ? 1 : 0, p[2] = (float)(i / 3) * 1e-9f;
}

// Positions that differ only in high bits of their numbers, which bad hashes ignore.
static inline void place_powers(uint32_t i, float p[3])
{
    for (int k = 0; k < 3; k++, i >>= 7) {
        uint32_t bits = (119 + (i & 15)) << 23 | (i >> 4 & 7) << 20;
        memcpy(&p[k], &bits, sizeof *p);
    }
}

static inline void make_gltf_same_places(set_text *out, uint32_t n)
{
    put_soup(out, n, place_same);
}

static inline void make_gltf_line(set_text *out, uint32_t n)
{
    put_soup(out, n, place_line);
}

static inline void make_gltf_heap(set_text *out, uint32_t n)
{
    put_soup(out, n, place_heap);
}

static inline void make_gltf_powers(set_text *out, uint32_t n)
{
    put_soup(out, n, place_powers);
}

// -- Animations

// The rest of a file whose nodes show mesh 0 and whose animations have sampler 0 of one key.
static inline void gltf_end_moving(set_text *out, set_text *t)
{
    set_text bin = {0};
    gltf_triangle(&bin);
    gltf_buffer(
        t, bin.size,
        GLTF_VECTORS("3") ",{\"bufferView\":0,\"componentType\":5126,\"count\":1,"
                          "\"type\":\"SCALAR\",\"min\":[0],\"max\":[0]}," GLTF_VECTORS("1"));
    set_put(t, "}");
    set_put_glb(out, t, &bin);
}

// Every node is moved by a separate channel that has one key.
static inline void make_gltf_channels(set_text *out, uint32_t n)
{
    set_text t = {0};
    put_children(&t, n, "");
    for (uint32_t i = 0; i < n; i++) set_put(&t, ",{\"name\":\"n%u\",\"mesh\":0}", (unsigned)i);
    set_put(&t, "]" GLTF_ONE_MESH ",\"animations\":[{\"name\":\"all\"");
    gltf_list(&t, "channels", n,
              "{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"translation\"}}");
    set_put(&t, ",\"samplers\":[{\"input\":1,\"output\":2}]}]");
    gltf_end_moving(out, &t);
}

#define GLTF_CLIP                                                                    \
    "{\"name\":\"%s\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":" \
    "\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":2}]}"

// Many clips of one key; `name` has a %u.
static inline void put_clips(set_text *out, uint32_t n, const char *name)
{
    set_text t = {0};
    char clip[256];
    snprintf(clip, sizeof clip, GLTF_CLIP, name);
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    gltf_list(&t, "animations", n, clip);
    gltf_end_moving(out, &t);
}

static inline void make_gltf_clips(set_text *out, uint32_t n)
{
    put_clips(out, n, "clip %u");
}

// What is before the bar does not count, unless it is the only difference.
static inline void make_gltf_same_clips(set_text *out, uint32_t n)
{
    put_clips(out, n, "rig %u|run");
}

// Names that all have one slot of a hash table.
static inline void make_gltf_flood_clips(set_text *out, uint32_t n)
{
    set_text t = {0};
    char name[FLOOD_SIZE + 1];
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH
                ",\"animations\":[");
    for (uint32_t i = 0; i < n; i++) {
        if (i) set_put(&t, ",");
        set_put(&t, GLTF_CLIP, set_flood_name(i, name));
    }
    set_put(&t, "]");
    gltf_end_moving(out, &t);
}

// -- Clips, nodes and keys
//
// Accessors are shared, so that a small file may have as many keys as it has clips, or nodes, times
// keys.

// The rest of a file with two samplers' accessors: `key_count` times (accessor 1), which are
// between frames, and positions (accessor 2).
static inline void gltf_end_keys(set_text *out, set_text *t, uint32_t key_count)
{
    set_text bin = {0};
    char accessors[1024];
    gltf_triangle(&bin);
    for (uint32_t i = 0; i < key_count; i++) set_put_f32(&bin, 0.0123f * (float)i);
    for (uint32_t i = 0; i < 3 * key_count; i++)
        set_put_f32(&bin, (float)(i * 2654435761u >> 22) / 1024);
    snprintf(accessors, sizeof accessors,
             GLTF_VECTORS("3") ",{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,"
                               "\"count\":%u,\"type\":\"SCALAR\"},{\"bufferView\":0,"
                               "\"byteOffset\":%u,\"componentType\":5126,\"count\":%u,"
                               "\"type\":\"VEC3\"}",
             (unsigned)key_count, 36 + 4 * (unsigned)key_count, (unsigned)key_count);
    gltf_buffer(t, bin.size, accessors);
    set_put(t, "}");
    set_put_glb(out, t, &bin);
}

static inline void put_moving_clip(set_text *t, uint32_t clip, uint32_t first, uint32_t count,
                                   const char *path)
{
    set_put(t, "%s{\"name\":\"c%u\"", clip ? "," : "", (unsigned)clip);
    set_put(t, ",\"samplers\":[{\"input\":1,\"output\":2}],\"channels\":[");
    for (uint32_t i = 0; i < count; i++)
        set_put(t, "%s{\"sampler\":0,\"target\":{\"node\":%u,\"path\":\"%s\"}}", i ? "," : "",
                (unsigned)(first + i), path);
    set_put(t, "]}");
}

// Clips that move one of the nodes each.
static inline void put_clips_of_nodes(set_text *out, uint32_t clip_count, uint32_t node_count)
{
    set_text t = {0};
    put_children(&t, node_count, "");
    for (uint32_t i = 0; i < node_count; i++)
        set_put(&t, ",{\"name\":\"n%u\",\"mesh\":0}", (unsigned)i);
    set_put(&t, "]" GLTF_ONE_MESH ",\"animations\":[");
    for (uint32_t i = 0; i < clip_count; i++)
        put_moving_clip(&t, i, i % node_count + 1, 1, "translation");
    set_put(&t, "]");
    gltf_end_keys(out, &t, 3);
}

static inline void make_gltf_clips_of_nodes(set_text *out, uint32_t n)
{
    put_clips_of_nodes(out, n / 3, 10);
}

static inline void make_gltf_clips_and_nodes(set_text *out, uint32_t n)
{
    put_clips_of_nodes(out, n, n);
}

// Clips that share all keys of a node.
static inline void make_gltf_clips_of_keys(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH
                ",\"animations\":[");
    for (uint32_t i = 0; i < n / 3; i++) put_moving_clip(&t, i, 0, 1, "translation");
    set_put(&t, "]");
    gltf_end_keys(out, &t, 20);
}

// Clips that move all of ten nodes, which are a chain.
static inline void make_gltf_clips_of_chains(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[");
    for (uint32_t i = 0; i < 9; i++) set_put(&t, "{\"children\":[%u]},", (unsigned)i + 1);
    set_put(&t, "{\"mesh\":0}]" GLTF_ONE_MESH ",\"animations\":[");
    for (uint32_t i = 0; i < n / 10; i++) put_moving_clip(&t, i, 0, 10, "translation");
    set_put(&t, "]");
    gltf_end_keys(out, &t, 3);
}

// Chains of 100 nodes that all move, with a mesh at every tenth node.
static inline void make_gltf_moving_chains(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0");
    for (uint32_t i = 100; i < n; i += 100) set_put(&t, ",%u", (unsigned)i);
    set_put(&t, "]}],\"nodes\":[");
    for (uint32_t i = 0; i < n; i++) {
        bool ends = i % 100 == 99 || i == n - 1;
        set_put(&t, "%s{\"name\":\"n%u\"", i ? "," : "", (unsigned)i);
        if (i % 10 == 9) set_put(&t, ",\"mesh\":0");
        if (!ends) set_put(&t, ",\"children\":[%u]", (unsigned)i + 1);
        set_put(&t, "}");
    }
    set_put(&t, "]" GLTF_ONE_MESH ",\"animations\":[");
    put_moving_clip(&t, 0, 0, n, "translation");
    set_put(&t, "]");
    gltf_end_keys(out, &t, 3);
}

// One channel whose n keys are at the times `time` gives.
static inline void put_keys(set_text *out, uint32_t n, float (*time)(uint32_t i))
{
    set_text t = {0}, bin = {0};
    char accessors[1024];
    gltf_triangle(&bin);
    for (uint32_t i = 0; i < n; i++) set_put_f32(&bin, time(i));
    for (uint32_t i = 0; i < 3 * n; i++) set_put_f32(&bin, (float)(i * 2654435761u >> 20));
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH
                ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
                "\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":2}]}]");
    snprintf(accessors, sizeof accessors,
             GLTF_VECTORS("3") ",{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,"
                               "\"count\":%u,\"type\":\"SCALAR\",\"min\":[0],\"max\":[%u]},"
                               "{\"bufferView\":0,\"byteOffset\":%u,\"componentType\":5126,"
                               "\"count\":%u,\"type\":\"VEC3\"}",
             (unsigned)n, (unsigned)n, 36 + 4 * (unsigned)n, (unsigned)n);
    gltf_buffer(&t, bin.size, accessors);
    set_put(&t, "}");
    set_put_glb(out, &t, &bin);
}

static inline float time_same(uint32_t i)
{
    (void)i;
    return 0;
}

static inline float time_back(uint32_t i)
{
    return (float)(0xffffff - i);
}

static inline float time_near(uint32_t i)
{
    return (float)i * 1e-5f;
}

static inline void make_gltf_same_times(set_text *out, uint32_t n)
{
    put_keys(out, n, time_same);
}

static inline void make_gltf_times_back(set_text *out, uint32_t n)
{
    put_keys(out, n, time_back);
}

static inline void make_gltf_near_times(set_text *out, uint32_t n)
{
    put_keys(out, n, time_near);
}

// -- Buffers

static inline void make_gltf_views(set_text *out, uint32_t n)
{
    set_text t = {0}, bin = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    gltf_triangle(&bin);
    set_put(&t, ",\"buffers\":[{\"byteLength\":36}]");
    gltf_list(&t, "bufferViews", n, "{\"buffer\":0,\"byteLength\":36}");
    gltf_list(&t, "accessors", n,
              "{\"bufferView\":%u,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":"
              "[0,0,0],\"max\":[1,1,0]}");
    set_put(&t, "}");
    set_put_glb(out, &t, &bin);
}

// An accessor of which every element is replaced.
static inline void make_gltf_sparse(set_text *out, uint32_t n)
{
    set_text t = {0}, bin = {0};
    char accessor[512];
    n -= n % 3;
    for (uint32_t i = 0; i < n; i++) set_put_u32(&bin, i);
    for (uint32_t i = 0; i < 3 * n; i++) set_put_f32(&bin, (float)(i * 7919 % 104729));
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    snprintf(accessor, sizeof accessor,
             "{\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"sparse\":{\"count\":%u,"
             "\"indices\":{\"bufferView\":0,\"componentType\":5125},\"values\":{\"bufferView\":0,"
             "\"byteOffset\":%u}}}",
             (unsigned)n, (unsigned)n, 4 * (unsigned)n);
    gltf_buffer(&t, bin.size, accessor);
    set_put(&t, "}");
    set_put_glb(out, &t, &bin);
}

// Buffers in the text, none of which is needed except the first.
static inline void make_gltf_data_uris(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]" GLTF_ONE_MESH);
    gltf_list(out, "buffers", n,
              "{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
              "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}");
    gltf_list(out, "bufferViews", n, "{\"buffer\":%u,\"byteLength\":36}");
    set_put(out, ",\"accessors\":[" GLTF_VECTORS("3") "]}");
}

// -- Materials

static inline void make_gltf_images(set_text *out, uint32_t n)
{
    set_text t = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{");
    size_t start = t.size;
    gltf_list(&t, "primitives", n, "{\"attributes\":{\"POSITION\":0},\"material\":%u}");
    t.data[start] = ' ';
    set_put(&t, "}]");
    gltf_list(&t, "materials", n,
              "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%u}}}");
    gltf_list(&t, "textures", n, "{\"source\":%u}");
    gltf_list(&t, "images", n, "{\"uri\":\"p%u.png\"}");
    gltf_end_triangle(out, &t);
}

// Paths whose FNV-1a hashes of 32 bits end in the same 14 bits.
static inline void make_gltf_flood(set_text *out, uint32_t n)
{
    set_text t = {0};
    uint32_t number = 0;
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{");
    size_t start = t.size;
    gltf_list(&t, "primitives", n, "{\"attributes\":{\"POSITION\":0},\"material\":%u}");
    t.data[start] = ' ';
    set_put(&t, "}]");
    gltf_list(&t, "materials", n,
              "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%u}}}");
    gltf_list(&t, "textures", n, "{\"source\":%u}");
    set_put(&t, ",\"images\":[");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t hash = 1;
        char path[16] = "";
        while (hash & 0x3fff) {
            hash = 0x811c9dc5u;
            snprintf(path, sizeof path, "%x.png", (unsigned)++number);
            for (const char *p = path; *p; p++) hash = (hash ^ (uint8_t)*p) * 0x01000193u;
        }
        set_put(&t, "%s{\"uri\":\"%s\"}", i ? "," : "", path);
    }
    set_put(&t, "]");
    gltf_end_triangle(out, &t);
}

// Images that all have the same bytes, which look like a JPEG picture that never begins.
static inline void make_gltf_one_picture(set_text *out, uint32_t n)
{
    set_text t = {0}, bin = {0};
    gltf_begin(&t);
    set_put(&t, ",\"scenes\":[{}]");
    gltf_list(&t, "images", n, "{\"bufferView\":0,\"mimeType\":\"image/jpeg\"}");
    set_put_bytes(&bin, "\xff\xd8", 2);
    set_repeat(&bin, "\xff\xff", 8 * n + 1);
    gltf_buffer(&t, bin.size, GLTF_ZERO);
    set_put(&t, "}");
    set_put_glb(out, &t, &bin);
}

// -- Text

static inline void put_extras(set_text *out, const char *before, const char *item,
                              const char *after, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{}],\"extras\":%s", before);
    set_repeat(out, item, n);
    set_put(out, "%s}", after);
}

static inline void make_gltf_empty_lists(set_text *out, uint32_t n)
{
    put_extras(out, "[", "[],{},", "0]", n);
}

static inline void make_gltf_escapes(set_text *out, uint32_t n)
{
    put_extras(out, "\"", "\\u00e4\\\"\\n", "\"", n);
}

static inline void make_gltf_same_keys(set_text *out, uint32_t n)
{
    put_extras(out, "{", "\"a\":{},", "\"b\":0}", n);
}

static inline void make_gltf_blanks(set_text *out, uint32_t n)
{
    put_extras(out, "", " \n\t\r", "{}", n);
}

static inline void make_gltf_digits(set_text *out, uint32_t n)
{
    put_extras(out, "0.", "0123456789", "e-1", n);
}

// Deeper than JSON may be: refused, whatever follows.
static inline void make_gltf_deep(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"extras\":");
    set_repeat(out, "[", n);
    set_repeat(out, "]", n);
    set_put(out, "}");
}

static inline void make_gltf_deep_objects(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"extras\":");
    set_repeat(out, "{\"a\":", n);
}

// As deep as allowed, again and again.
static inline void make_gltf_deep_lists(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{}],\"extras\":[");
    for (uint32_t i = 0; i < n; i += 500) {
        set_repeat(out, "[", 500);
        set_repeat(out, "]", 500);
        set_put(out, ",");
    }
    set_put(out, "0]}");
}

static inline void make_gltf_extensions(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{}]");
    gltf_list(out, "extensionsUsed", n, "\"X_%u\"");
    set_put(out, "}");
}

// Nodes that are not in the scene, with extensions in extensions, and as many in the root.
static inline void make_gltf_copies(set_text *out, uint32_t n)
{
    gltf_begin(out);
    set_put(out, ",\"scenes\":[{},{}]");
    gltf_list(
        out, "nodes", n,
        "{\"name\":\"n%u\",\"extras\":[[0],{}],\"extensions\":{\"ACME_tree\":{\"parts\":[{\"a\":"
        "{\"b\":[0.5,true]}}],\"extensions\":{\"ACME_leaf\":{\"size\":0.5}}}}}");
    gltf_list(out, "extensionsUsed", n, "\"X_%u\"");
    set_put(out, ",\"extensions\":{");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "%s\"X_%u\":{\"a\":{}}", i ? "," : "", (unsigned)i);
    set_put(out, "}}");
}

#endif  // TENON_LIMITS_SETS_GLTF_H
