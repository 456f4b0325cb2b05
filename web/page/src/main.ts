// main.ts: starts the page.
// SPDX-License-Identifier: MIT

import "./app.ts";
