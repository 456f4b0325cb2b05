// fuzz_sides.c: the files beside models: materials of BBMOD, property files of GPB, sidecars of
// BMW. What is read is written back, where that is possible, and can be walked and changed.
// SPDX-License-Identifier: MIT
//
// Every input is read as each of the three.

#include <tenon/bbmod.h>
#include <tenon/bmw.h>
#include <tenon/gpb.h>

#include "../tests/robust_properties.h"
#include "fuzz.h"

#define MEMORY_LIMIT ((uint64_t)16 << 20)

static const tenon_read_opts limited = {.max_memory = MEMORY_LIMIT};

static void require_reason(const tenon_error *err)
{
    require(err->code != TENON_OK && err->message[0], "a refusal says why", err);
}

static void require_same(const compared *c, bool ok)
{
    require(ok && !c->differs && c->at == c->size, "it is written back byte for byte", NULL);
}

// -- Materials of BBMOD

static void use_bbmat(const uint8_t *data, size_t size)
{
    tenon_error err = {0};
    compared c = {.expected = data, .size = size};
    growing_bytes changed = {0};
    tenon_bbmat *material = tenon_bbmat_read(data, size, &limited, &err);
    if (!material) {
        require_reason(&err);
        return;
    }
    bool ok = tenon_bbmat_write(material, compare_bytes, &c, &err);
    require_same(&c, ok);
    (void)tenon_bbmat_get(material, "__Textures.BaseOpacity");
    if (tenon_bbmat_set_text(material, "Shader", "a\"\\\n", &err) &&
        tenon_bbmat_set_number(material, "Priority", 0.1, &err) &&
        tenon_bbmat_write(material, append_bytes, &changed, &err)) {
        tenon_bbmat *again = tenon_bbmat_read(changed.data, changed.size, NULL, &err);
        require(again != NULL, "a changed material is read again", &err);
        tenon_bbmat_free(again);
    }
    free(changed.data);
    tenon_bbmat_free(material);
}

// -- Property files of GPB

static bool follow_block(void *user, const tenon_gpb_properties *block)
{
    (void)tenon_gpb_property_value(block, "path");
    return ++*(uint64_t *)user < 1000;
}

static void use_properties(const uint8_t *data, size_t size)
{
    tenon_error err = {0};
    uint64_t count = 0;
    tenon_gpb_properties *file =
        tenon_gpb_properties_read((const char *)data, size, &limited, &err);
    if (!file) {
        require_reason(&err);
        return;
    }
    tenon_gpb_properties_each(file, "sampler", follow_block, &count);
    tenon_gpb_properties_each(file, "pass", follow_block, &count);
    (void)tenon_gpb_properties_find(file, "material", (tenon_str){"a", 1});
    tenon_gpb_properties_free(file);
}

// -- Sidecars of BMW

// One more clip, in front of the others, is there when the text is read again.
static void add_clip(tenon_bmw_sidecar *sidecar)
{
    tenon_error err = {0};
    growing_bytes changed = {0};
    uint32_t count = sidecar->clip_count + 1;
    tenon_bmw_clip *clips = tenon_bmw_sidecar_alloc(sidecar, count * sizeof *clips);
    if (!clips) return;
    if (count > 1) memcpy(clips + 1, sidecar->clips, (count - 1) * sizeof *clips);
    clips[0] = (tenon_bmw_clip){.name = {"a\"b", 3}, .has_range = true, .end = 2, .loop = true};
    sidecar->clips = clips;
    sidecar->clip_count = count;
    if (tenon_bmw_sidecar_write(sidecar, append_bytes, &changed, &err)) {
        tenon_bmw_sidecar *again =
            tenon_bmw_sidecar_read((const char *)changed.data, changed.size, &limited, &err);
        require(again || is_excused(&err), "a changed sidecar is read again", &err);
        require(!again || again->clip_count == count, "with one clip more", NULL);
        tenon_bmw_sidecar_free(again);
    }
    free(changed.data);
}

static void use_sidecar(const uint8_t *data, size_t size)
{
    tenon_error err = {0};
    compared c = {.expected = data, .size = size};
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read((const char *)data, size, &limited, &err);
    if (!sidecar) {
        require_reason(&err);
        return;
    }
    bool ok = tenon_bmw_sidecar_write(sidecar, compare_bytes, &c, &err);
    require_same(&c, ok);
    for (uint32_t i = 0; i < sidecar->clip_count; i++) (void)tenon_bmw_clip_animation(sidecar, i);
    add_clip(sidecar);
    tenon_bmw_sidecar_free(sidecar);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    use_bbmat(data, size);
    use_properties(data, size);
    use_sidecar(data, size);
    return 0;
}
