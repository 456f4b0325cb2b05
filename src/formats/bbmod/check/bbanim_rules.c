// bbanim_rules.c: the table of rules for BBMOD animations.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/check/bbanim_check.h"

#define ENGINE "bbmod"

const tenon_rule bbanim_rules[BBANIM_RULE_COUNT] = {
    [BBANIM_DURATION] = {"bbanim/duration", TENON_ERROR, "the duration is a whole number of frames",
                         "convert with --refresh, which sets it to the number of stored frames",
                         NULL},
    [BBANIM_RATE] = {"bbanim/rate", TENON_ERROR, "the rate is more than 0 tics per second",
                     "set it to 60, the converter's default", NULL},
    [BBANIM_SPACES_UNKNOWN] = {"bbanim/spaces-unknown", TENON_WARNING,
                               "only the space bits 1, 2 and 4 are set",
                               "clear the other bits: readers ignore them", NULL},
    [BBANIM_SPACES_NONE] = {"bbanim/spaces-none", TENON_ERROR,
                            "an animation with a duration stores frames",
                            "convert the source again with -oa of 0, 1 or 2", NULL},
    [BBANIM_SPACES_DIFFER] =
        {"bbanim/spaces-differ", TENON_WARNING, "frames in several spaces describe the same motion",
         "convert with --spaces, which computes all spaces from the lowest one", NULL},
    [BBANIM_TRANSFORM_ZERO] = {"bbanim/transform-zero", TENON_ERROR,
                               "the rotation of a dual quaternion is not zero", NULL, NULL},
    [BBANIM_TRANSFORM_UNIT] = {"bbanim/transform-unit", TENON_WARNING,
                               "the real part of a dual quaternion has the length 1 and is "
                               "perpendicular to the dual part",
                               NULL, NULL},
    [BBANIM_NOT_FINITE] = {"bbanim/not-finite", TENON_ERROR, "numbers are finite",
                           "remove the bones that have no node, and export again", NULL},
    [BBANIM_CHANNEL_INDEX] =
        {"bbanim/channel-index", TENON_ERROR,
         "every channel has a valid node or bone index that no other channel has", NULL, NULL},
    [BBANIM_CHANNEL_EMPTY] = {"bbanim/channel-empty", TENON_ERROR,
                              "a channel has positions and rotations",
                              "remove the channel: the runtime fails to play it", NULL},
    [BBANIM_KEY_ORDER] = {"bbanim/key-order", TENON_WARNING, "keys are sorted by time",
                          "sort the keys by time", NULL},
    [BBANIM_KEY_RANGE] = {"bbanim/key-range", TENON_WARNING,
                          "key times are between 0 and the duration", NULL, NULL},
    [BBANIM_ROTATION_UNIT] = {"bbanim/rotation-unit", TENON_WARNING, "a rotation has the length 1",
                              "divide the quaternion by its length", NULL},
    [BBANIM_EVENT_FRAME] =
        {"bbanim/event-frame", TENON_WARNING, "event frames are between 0 and the duration",
         "move the event into the clip: the engine never triggers events outside of it", NULL},
    [BBANIM_EVENTS_APPENDED] = {"bbanim/events-appended", TENON_INFO,
                                "only version 3.4 and later store events",
                                "convert with --as 3.4, which keeps the events", NULL},
    [BBANIM_TEXT_UTF8] = {"bbanim/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    [BBANIM_MAGIC] = {"bbanim/magic", TENON_WARNING,
                      "a minor version follows only the uppercase magic",
                      "convert with --as 3.1, the version that release 3.4.0 was intended to write",
                      NULL},
    [BBANIM_BROKEN_SAVER] =
        {"bbanim/broken-saver", TENON_ERROR,
         "each frame is stored once (runtimes 3.12.0 to 3.16.3 saved all frames for each frame)",
         "convert with --as 3.4, which keeps each frame once", NULL},
    [BBANIM_MODEL_NODES] = {"bbanim/model-nodes", TENON_ERROR,
                            "the animation and the model have the same number of nodes", NULL,
                            NULL},
    [BBANIM_MODEL_BONES] = {"bbanim/model-bones", TENON_ERROR,
                            "the animation and the model have the same number of bones", NULL,
                            NULL},
    [BBANIM_BONE_LIMIT] = {"bbanim/bone-limit", TENON_ERROR,
                           "an animation is for at most 128 bones (64 before 3.15.0)",
                           "split the model: the shaders do not support more bones", ENGINE},
    [BBANIM_NODE_LIMIT] = {"bbanim/node-limit", TENON_ERROR,
                           "an animation in parent space is for at most 128 nodes",
                           "convert with --spaces world,bone, or merge nodes", ENGINE},
    [BBANIM_VERSION] = {"bbanim/version", TENON_ERROR, "the runtime reads version 3 only",
                        "convert with --as 3.4, and --model MODEL for versions 1 and 2", ENGINE},
};
