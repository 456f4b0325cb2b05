// import_tracks.c: keys of a node while they are converted to channels.
// SPDX-License-Identifier: MIT

#include "import_tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Lists

static void import_tracks_add_key(key_track *track, double time, quat value)
{
    track->keys = import_grow(track->keys, track->count, &track->room, sizeof *track->keys);
    track->keys[track->count++] = (track_key){time, value};
}

void track_add_vec3(key_track *track, double time, vec3 value)
{
    import_tracks_add_key(track, time, (quat){value.x, value.y, value.z, 0});
}

void track_add_quat(key_track *track, double time, quat value)
{
    import_tracks_add_key(track, time, quat_normal(value));
}

void tracks_free(node_tracks *tracks)
{
    free(tracks->translation.keys);
    free(tracks->rotation.keys);
    free(tracks->scale.keys);
}

// -- Channels

void track_finish(assimp_importer *importer, const key_track *track, tenon_target target,
                  double shift, tenon_channel *to)
{
    const size_t size = target == TENON_ROTATION ? 4 : 3;
    if (track->count > UINT32_MAX / 4) return;
    bool is_constant = true;
    for (size_t i = 1; is_constant && i < track->count; i++)
        is_constant = memcmp(&track->keys[i].value, &track->keys[0].value, sizeof(quat)) == 0;
    size_t step = track->count > 2 && is_constant ? track->count - 1 : 1;
    to->times = import_scene_alloc(importer, track->count, sizeof *to->times);
    to->values = import_scene_alloc(importer, track->count, size * sizeof *to->values);
    for (size_t i = 0; i < track->count; i += step) {
        const track_key *key = &track->keys[i];
        float time = (float)fmax(0, key->time + shift);
        // Skip keys that are out of order or too close to each other.
        if (!isfinite(time) || (to->key_count && !(time > to->times[to->key_count - 1]))) continue;
        const double values[4] = {key->value.x, key->value.y, key->value.z, key->value.w};
        to->times[to->key_count] = time;
        for (size_t k = 0; k < size; k++) to->values[to->key_count * size + k] = (float)values[k];
        to->key_count++;
    }
}
