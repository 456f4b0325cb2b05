// gpb_import_track.c: lists the channels of a bundle that have a target.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"

#include <inttypes.h>
#include <math.h>

// -- Paths

tn_path_text gpb_import_source_path(const gpb_importer *importer, const gpb_source *source)
{
    if (importer->doc->blocks[source->block].kind == TENON_GPB_ANIMATION)
        return tn_path("blocks[%" PRIu32 "].animation", source->block);
    return tn_path("blocks[%" PRIu32 "].animations.animations[%" PRIu32 "]", source->block,
                   source->index);
}

tn_path_text gpb_import_track_path(const gpb_importer *importer, const gpb_track *track)
{
    return tn_path("%s.channels[%" PRIu32 "]",
                   gpb_import_source_path(importer, &importer->sources[track->animation]).text,
                   track->index);
}

// -- Keys

float gpb_import_track_time(const gpb_track *track, uint32_t key)
{
    uint64_t number = track->keys ? track->keys[key] : key;
    return (float)(gpb_index_key_time(track->channel, number) / 1000);
}

// -- All tracks

static void gpb_import_tally_track(gpb_importer *importer, tn_tally *loss, const gpb_track *track,
                                   uint64_t count)
{
    if (count) tn_tally_path(loss, count, "%s", gpb_import_track_path(importer, track).text);
}

// Returns whether the channel moves something. Keys are valid if their times are not negative and
// increase.
static bool gpb_import_read_track(gpb_importer *importer, gpb_track *track)
{
    const tenon_gpb_channel *c = track->channel;
    gpb_losses *lost = &importer->losses;
    // The components of a key: scale, rotation, translation, or one number.
    uint32_t attribute = c->target_attribute;
    gpb_attribute known = gpb_index_attribute_of(attribute);
    bool has_scale = attribute == 1 || (attribute >= 17 && attribute <= 19);
    bool has_translation = attribute == 9 || (attribute >= 16 && attribute <= 18);
    for (uint32_t k = 0; k < 3; k++) {
        track->offsets[GPB_SCALE_X + k] = has_scale ? k : attribute == 2 + k ? 0 : TENON_NONE;
        track->offsets[GPB_TRANSLATION_X + k] = has_translation       ? known.size - 3 + k
                                                : attribute == 10 + k ? 0
                                                                      : TENON_NONE;
    }
    track->offsets[GPB_ROTATION] = known.rotation;
    track->size = known.size;
    if (attribute == 0 || track->size == 0) {
        bool is_known = attribute == 0;
        gpb_import_tally_track(importer, is_known ? &lost->unplayed : &lost->attributes, track, 1);
        return false;
    }
    track->node_index = gpb_index_find_node(&importer->index, c->target_id);
    if (track->node_index == TENON_NONE) {
        gpb_import_tally_track(importer, &lost->targets, track, 1);
        return false;
    }
    uint64_t whole = c->values.count / track->size;
    uint64_t usable = whole < c->key_times.count ? whole : c->key_times.count;
    uint32_t count = usable < TENON_NONE ? (uint32_t)usable : TENON_NONE - 1;
    uint32_t *keys = NULL;  // Needed from the first key on that is not valid.
    float last = -1;
    for (uint32_t i = 0; i < count; i++) {
        float time = gpb_import_track_time(track, i);
        if (time >= 0 && time > last && time <= 1e30f) {
            last = time;
            if (keys) keys[track->key_count] = i;
            track->key_count++;
        } else if (!keys) {
            keys = tn_scene_array(importer->builder, count, sizeof *keys);
            if (!keys) return false;
            for (uint32_t k = 0; k < i; k++) keys[k] = k;
        }
    }
    track->keys = keys;
    gpb_import_tally_track(importer, &lost->values, track,
                           c->key_times.count != whole || c->values.count % track->size);
    gpb_import_tally_track(importer, &lost->keys, track, usable - track->key_count);
    return track->key_count > 0;
}

void gpb_import_list_tracks(gpb_importer *importer)
{
    uint64_t sources = 0, tracks = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        tenon_gpb_animations all = gpb_index_animations_of(&importer->doc->blocks[i]);
        sources += all.animation_count;
        for (uint32_t k = 0; k < all.animation_count; k++)
            tracks += all.animations[k].channel_count;
    }
    importer->is_animated = tn_scene_array(importer->builder, importer->index.tree.count,
                                           sizeof *importer->is_animated);
    importer->sources = tn_scene_array(importer->builder, sources, sizeof *importer->sources);
    importer->tracks = tn_scene_array(importer->builder, tracks + 1, sizeof *importer->tracks);
    for (uint32_t i = 0; i < importer->doc->block_count && !importer->builder->failed; i++) {
        tenon_gpb_animations all = gpb_index_animations_of(&importer->doc->blocks[i]);
        for (uint32_t k = 0; k < all.animation_count && !importer->builder->failed; k++) {
            const tenon_gpb_animation *animation = &all.animations[k];
            uint32_t number = importer->source_count++;
            gpb_source *source = &importer->sources[number];
            *source = (gpb_source){.animation = animation,
                                   .block = i,
                                   .index = k,
                                   .first = importer->track_count,
                                   .clip = TENON_NONE};
            for (uint32_t c = 0; c < animation->channel_count && !importer->builder->failed; c++) {
                gpb_track *track = &importer->tracks[importer->track_count];
                *track = (gpb_track){
                    .channel = &animation->channels[c], .animation = number, .index = c};
                if (!gpb_import_read_track(importer, track)) continue;
                importer->is_animated[track->node_index] = true;
                importer->track_count++;
                source->count++;
            }
        }
    }
}
