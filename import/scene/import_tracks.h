// import_tracks.h: keys of one property of one node, on their way from Assimp to a channel.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SCENE_TRACKS_H
#define TENON_IMPORT_SCENE_TRACKS_H

#include "import.h"

typedef struct track_key {
    double time;  // Seconds.
    quat value;   // A vector has no w.
} track_key;

typedef struct track {
    track_key *keys;  // In the order of time.
    size_t count, room;
} track;

typedef struct tracks {
    track translation, rotation, scale;
} tracks;

void track_add_vec3(track *t, double time, vec3 value);
void track_add_quat(track *t, double time, quat value);
void tracks_free(tracks *t);

// The value of one of Assimp's channels.
trs channel_sample(const struct aiNodeAnim *channel, double ticks);

typedef trs track_sample_fn(const void *user, double time);

// Sample at these times, which are sorted, and between them where the way is not straight.
void tracks_sample(tracks *to, const double *times, size_t count, track_sample_fn *sample,
                   const void *user);

// Leave only what is between two times, with keys at both where something was left out.
void tracks_trim(tracks *t, double start, double stop);

// Make a channel of it: times of 32 bits, that grow, moved by `shift`. What never changes keeps its
// first and last key.
void track_finish(assimp_importer *importer, const track *t, tenon_target target, double shift,
                  tenon_channel *to);

#endif  // TENON_IMPORT_SCENE_TRACKS_H
