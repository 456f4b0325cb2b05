// render_frames.c: animations: all around a model, or a clip as it is played.
// SPDX-License-Identifier: MIT

#include "commands/render_frames.h"

#include "report/report.h"

#include <math.h>

#define TURN        6.28318530717958647692
#define PROBES      8  // Directions in which the distance is looked for; the others are between.
#define PROBE_SHARE 1.02
#define RATE        25
#define TURN_MS     100
#define FRAMES_MOST 100000

static double frames_distance(const tenon_view *view)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (view->eye[k] - view->target[k]) * (view->eye[k] - view->target[k]);
    return sqrt(square);
}

static tenon_view frames_view(const frames *f, double turned)
{
    const drawing_opts *opts = f->opts;
    return tenon_view_clip(f->d->pose, f->d->clip, opts->azimuth + turned, opts->elevation,
                           (double)opts->width / opts->height);
}

bool frames_plan(frames *f, drawing *d, const render_opts *opts, uint8_t *pixels, tenon_error *err)
{
    *f = (frames){.d = d, .opts = &opts->drawing, .pixels = pixels, .channels = 4};
    if (f->opts->background[3] >= 1) f->channels = 3;
    if (d->font && (opts->turntable || opts->play)) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "a font has no frames");
        return false;
    }
    double rate = opts->rate > 0 ? opts->rate : RATE;
    if (opts->turntable > 0) {
        f->turns = f->count = (uint32_t)opts->turntable;
        f->ms = opts->rate > 0 ? (uint32_t)(1000 / rate + 0.5) : TURN_MS;
        // A box looks the same from both sides.
        for (int i = 0; i < PROBES; i++) {
            tenon_view view = frames_view(f, TURN / 2 * i / PROBES);
            double distance = frames_distance(&view) * PROBE_SHARE;
            if (distance > f->distance) f->distance = distance;
        }
        tenon_pose_set(d->pose, d->clip, d->seconds);
    } else if (opts->play) {
        double count = d->loaded.scene->animations[d->clip].duration * rate + 1;
        if (!(count <= FRAMES_MOST)) {
            *err = report_make(TENON_ERR_LIMIT, "more than %d frames; '--rate' makes them fewer",
                               FRAMES_MOST);
            return false;
        }
        f->count = (uint32_t)count;
        f->ms = (uint32_t)(1000 / rate + 0.5);
    }
    if (f->ms == 0) f->ms = 1;
    return true;
}

const uint8_t *frames_draw(void *user, uint32_t index)
{
    frames *f = user;
    drawing *d = f->d;
    if (f->turns > 0) {
        double angle = TURN * index / f->turns;
        tenon_view view = tenon_view_box(NULL, NULL, f->opts->azimuth + angle, f->opts->elevation,
                                         (double)f->opts->width / f->opts->height);
        double length = frames_distance(&view);
        for (int k = 0; k < 3; k++) {
            view.eye[k] = d->view.target[k] + view.eye[k] / length * f->distance;
            view.target[k] = d->view.target[k];
        }
        d->view = view;
    } else {
        double seconds = index * (f->ms / 1000.0);
        tenon_pose_set(d->pose, d->clip, seconds);
    }
    if (!drawing_draw(d, f->opts, f->pixels, &f->err)) return NULL;
    if (f->channels == 3)
        (void)tenon_drop_alpha(f->pixels, (uint64_t)f->opts->width * f->opts->height);
    return f->pixels;
}
