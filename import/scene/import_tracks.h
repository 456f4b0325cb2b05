// import_tracks.h: keys of a node while they are converted to channels.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_SCENE_TRACKS_H
#define TENON_IMPORT_SCENE_TRACKS_H

#include "import.h"

typedef struct track_key {
    double time;  // Seconds.
    quat value;   // A vector has w = 0.
} track_key;

typedef struct key_track {
    track_key *keys;  // Sorted by time.
    size_t count, room;
} key_track;

typedef struct node_tracks {
    key_track translation, rotation, scale;
} node_tracks;

void track_add_vec3(key_track *track, double time, vec3 value);
void track_add_quat(key_track *track, double time, quat value);
void tracks_free(node_tracks *tracks);

// The value of one of Assimp's channels at a time.
trs channel_sample(const struct aiNodeAnim *channel, double ticks);

typedef trs track_sample_fn(const void *user, double time);

// Sample at these sorted times, and between them where the motion is not linear.
void tracks_sample(node_tracks *to, const double *times, size_t count, track_sample_fn *sample,
                   const void *user);

// Keep only the time between `start` and `stop`, with a key at each end that was cut off.
void tracks_trim(node_tracks *tracks, double start, double stop);

// Convert to a channel: 32-bit times that increase, moved by `shift`. A constant track keeps its
// first and last key.
void track_finish(assimp_importer *importer, const key_track *track, tenon_target target,
                  double shift, tenon_channel *to);

#endif  // TENON_IMPORT_SCENE_TRACKS_H
