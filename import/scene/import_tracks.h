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

// Convert to a channel: 32-bit times that increase, moved by `shift`. A constant track keeps its
// first and last key.
void track_finish(assimp_importer *importer, const key_track *track, tenon_target target,
                  double shift, tenon_channel *to);

#endif  // TENON_IMPORT_SCENE_TRACKS_H
