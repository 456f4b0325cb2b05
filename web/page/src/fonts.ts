// fonts.ts: the glyphs of font bundles, as the file has them.
// SPDX-License-Identifier: MIT

import { byId, el, fill } from "./dom.ts";
import type { FontSize } from "./protocol.ts";
import { hexOffset } from "./text.ts";

function picture({ width, height, texels, glyphs }: FontSize): HTMLElement {
    const scale = Math.max(1, Math.min(4, Math.floor(512 / width)));
    const canvas = el("canvas", { attrs: { width, height, role: "img", "aria-label": `${glyphs.length} glyphs` } });
    const context = canvas.getContext("2d")!, image = context.createImageData(width, height);
    for (let i = 0; i < width * height; i++) {
        const level = texels[i] ?? 0;
        image.data.set([level, level, level, 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    canvas.style.width = `${width * scale}px`;
    return canvas;
}

/** Show the glyphs in place of a model; nothing if there are none. */
export function paintFonts(fonts: FontSize[]) {
    byId("fonts").hidden = fonts.length === 0;
    fill(byId("fonts"), ...fonts.map((font) => {
        const text = String.fromCodePoint(...font.glyphs.filter((code) => code > 31 && code < 0x110000).slice(0, 400));
        return el("article", {}, el("h3", {}, `${font.title}, ${font.glyphs.length} glyphs, ${font.width} × ${font.height}, at ${hexOffset(font.offset)}`),
                  picture(font), el("p", { class: "glyphs" }, text));
    }));
}
