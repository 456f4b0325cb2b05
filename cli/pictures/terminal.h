// terminal.h: pictures in a terminal.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_TERMINAL_H
#define TENON_CLI_TERMINAL_H

#include "pictures/label.h"

#include <tenon/tenon.h>

// Whether the terminal shows pictures as they are, by the protocol of kitty. It is not asked, since
// the answer might be taken for what the user types: its name in the environment tells.
bool terminal_takes_pictures(void);

// Print a picture in that protocol. The pixels are sent as a PNG file, whose writing is charged to
// the job. False, with `err` set, on failure.
bool terminal_put_picture(const canvas *picture, tenon_error *err);

// Print a picture as blocks of color, two pixels in a character. Pixels that are mostly transparent
// are left to the terminal.
void terminal_put_blocks(const canvas *picture);

#endif  // TENON_CLI_TERMINAL_H
