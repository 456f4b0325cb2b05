// upload.ts: gives a model to the graphics card in small pieces, so that the page goes on.
// SPDX-License-Identifier: MIT

import type { BufferAttribute, InterleavedBuffer, Mesh, Object3D, WebGLRenderer } from "three";

const LARGE = 1 << 20, PIECE = 2 << 20; // Bytes: of all arrays together, and of what is given in one turn.

type Data = BufferAttribute | InterleavedBuffer;

/** Buffers that are filled here, in the form in which three.js takes those of others. */
type Filled = Data & { isGLBufferAttribute?: boolean; buffer?: WebGLBuffer; type?: number; elementSize?: number };

/** Wait until the page has had its turn. */
export function nextTurn(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve));
}

/** The arrays of a large model; none of a small one. */
function largeArrays(root: Object3D): Set<Data> {
    const found = new Set<Data>();
    root.traverse((object) => {
        const { geometry } = object as Mesh;
        if (!geometry) return;
        for (const one of [geometry.index, ...Object.values(geometry.attributes)]) {
            const data = (one && "data" in one ? one.data : one) as Data | null;
            if (data?.array.byteLength) found.add(data);
        }
    });
    const size = [...found].reduce((sum, { array }) => sum + array.byteLength, 0);
    return size > LARGE ? found : new Set();
}

function typeOf(gl: WebGL2RenderingContext, { array }: Data): number | undefined {
    const types = new Map<unknown, number>([
        [Float32Array, gl.FLOAT], [Uint32Array, gl.UNSIGNED_INT], [Uint16Array, gl.UNSIGNED_SHORT],
        [Int16Array, gl.SHORT], [Uint8Array, gl.UNSIGNED_BYTE], [Int8Array, gl.BYTE]]);
    return types.get(array.constructor);
}

/** Fill the buffers of a large model; false if it is small, which is left to three.js. */
export async function uploadArrays(renderer: WebGLRenderer, root: Object3D): Promise<boolean> {
    const gl = renderer.getContext() as WebGL2RenderingContext, arrays = largeArrays(root);
    let left = PIECE; // Bytes of this turn.
    for (const data of arrays) {
        const type = typeOf(gl, data), { array } = data, buffer = gl.createBuffer();
        if (type === undefined || !buffer) continue;
        const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        for (let at = 0, size = 0; at < bytes.length; at += size) {
            size = Math.min(left, bytes.length - at);
            // This target does not decide whether a buffer has indices.
            gl.bindBuffer(gl.COPY_WRITE_BUFFER, buffer);
            if (at === 0) gl.bufferData(gl.COPY_WRITE_BUFFER, bytes.length, gl.STATIC_DRAW);
            gl.bufferSubData(gl.COPY_WRITE_BUFFER, at, bytes, at, size);
            gl.bindBuffer(gl.COPY_WRITE_BUFFER, null);
            left -= size;
            if (left > 0) continue;
            left = PIECE;
            gl.flush();
            await nextTurn();
        }
        Object.assign(data as Filled, { isGLBufferAttribute: true, buffer, type, elementSize: array.BYTES_PER_ELEMENT });
    }
    return arrays.size > 0;
}

/** When the graphics card has lost everything, three.js fills the buffers again. */
export function forgetUploads(root: Object3D) {
    for (const data of largeArrays(root)) delete (data as Filled).isGLBufferAttribute;
}

/** Wait until the graphics card has done what it was given; the page goes on meanwhile. */
async function settled(gl: WebGL2RenderingContext) {
    const sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    while (sync && !gl.isContextLost() && gl.getSyncParameter(sync, gl.SYNC_STATUS) !== gl.SIGNALED)
        await new Promise((resolve) => setTimeout(resolve, 4));
    gl.deleteSync(sync);
}

/** Make the programs for what is in the scene before it is drawn: asking for one waits for all that the
 *  graphics card has still to do. */
export async function preparePrograms(renderer: WebGLRenderer, make: () => Promise<unknown>) {
    const gl = renderer.getContext() as WebGL2RenderingContext;
    await settled(gl);
    await make();
    for (const program of renderer.info.programs ?? []) {
        await settled(gl);
        (program as any).getUniforms();
    }
}
