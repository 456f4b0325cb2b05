// terminal.c: pictures in a terminal: the protocol of kitty, and blocks of color.
// SPDX-License-Identifier: MIT

#include "pictures/terminal.h"

#include "input/job.h"
#include "report/output.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/render.h>

#define PART_SIZE 3072  // Bytes that become the 4096 letters that the protocol allows at once.
#define OPAQUE    128

static bool terminal_is(const char *variable, const char *value)
{
    const char *own = getenv(variable);
    return own && (!value || strcmp(own, value) == 0);
}

bool terminal_takes_pictures(void)
{
    if (terminal_is("TMUX", NULL)) return false;  // It does not pass them on.
    return terminal_is("KITTY_WINDOW_ID", NULL) || terminal_is("TERM", "xterm-kitty") ||
           terminal_is("TERM", "xterm-ghostty") || terminal_is("TERM_PROGRAM", "ghostty") ||
           terminal_is("TERM_PROGRAM", "WezTerm");
}

// -- The protocol of kitty

// What is sent, in parts.
typedef struct picture_sender {
    uint8_t part[PART_SIZE];
    size_t size;
    bool is_begun;
} picture_sender;

static void terminal_send_part(picture_sender *sender, bool is_last)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out(stdout, "\033_G%sm=%d;", sender->is_begun ? "" : "a=T,f=100,q=2,", !is_last);
    for (size_t i = 0; i < sender->size; i += 3) {
        size_t left = sender->size - i;
        uint32_t three = (uint32_t)sender->part[i] << 16;
        if (left > 1) three |= (uint32_t)sender->part[i + 1] << 8;
        if (left > 2) three |= sender->part[i + 2];
        char four[4] = {letters[three >> 18], letters[three >> 12 & 63],
                        left > 1 ? letters[three >> 6 & 63] : '=',
                        left > 2 ? letters[three & 63] : '='};
        out_bytes(stdout, four, sizeof four);
    }
    out(stdout, "\033\\");
    sender->is_begun = true;
    sender->size = 0;
}

static bool terminal_send(void *user, const void *bytes, size_t size)
{
    picture_sender *sender = user;
    const uint8_t *from = bytes;
    while (size > 0) {
        if (sender->size == PART_SIZE) terminal_send_part(sender, false);
        size_t room = PART_SIZE - sender->size, count = size < room ? size : room;
        memcpy(sender->part + sender->size, from, count);
        sender->size += count;
        from += count;
        size -= count;
    }
    return !out_failed();
}

bool terminal_put_picture(const canvas *picture, tenon_error *err)
{
    picture_sender sender = {.size = 0};
    const tenon_png png = {.allocator = job_allocator(),
                           .width = picture->width,
                           .height = picture->height,
                           .channels = 4,
                           .pixels = picture->pixels};
    bool ok = tenon_write_png(&png, terminal_send, &sender, err);
    terminal_send_part(&sender, true);
    out(stdout, "\n");
    return ok || out_failed();
}

// -- Blocks of color

static void terminal_use_color(char layer, const uint8_t *color)
{
    out(stdout, "\033[%c8;2;%u;%u;%um", layer, (unsigned)color[0], (unsigned)color[1],
        (unsigned)color[2]);
}

void terminal_put_blocks(const canvas *picture)
{
    size_t row_size = 4 * (size_t)picture->width;
    for (uint32_t y = 0; y < picture->height && !out_failed(); y += 2) {
        const uint8_t *row = picture->pixels + y * row_size;
        for (uint32_t x = 0; x < picture->width; x++) {
            const uint8_t *upper = row + 4 * (size_t)x, *lower = upper + row_size;
            bool has_upper = upper[3] >= OPAQUE;
            bool has_lower = y + 1 < picture->height && lower[3] >= OPAQUE;
            // The color of the letter is that of one half, and the other is behind it.
            if (has_upper || has_lower) terminal_use_color('3', has_upper ? upper : lower);
            if (has_upper && has_lower) terminal_use_color('4', lower);
            out(stdout, "%s", has_upper ? "\xe2\x96\x80" : has_lower ? "\xe2\x96\x84" : " ");
            if (has_upper || has_lower) out(stdout, "\033[0m");
        }
        out(stdout, "\n");
    }
}
