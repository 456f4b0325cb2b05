// near.ts: how far points are from the nearest of others.
// SPDX-License-Identifier: MIT

const CELLS_MOST = 128; // Along an axis.

/** The distance of each of `points` (3 numbers each) to the nearest of `others`. */
export function nearestDistances(points: Float32Array, others: Float32Array): Float32Array {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], count = others.length / 3;
    for (let i = 0; i < others.length; i++) {
        low[i % 3] = Math.min(low[i % 3], others[i]);
        high[i % 3] = Math.max(high[i % 3], others[i]);
    }
    const extent = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9);
    const cells = Math.min(CELLS_MOST, Math.max(1, Math.ceil(Math.cbrt(count)))), size = extent / cells;
    const cellOf = (value: number, axis: number) => Math.min(cells - 1, Math.max(0, Math.floor((value - low[axis]) / size)));
    const heads = new Map<number, number>(), next = new Int32Array(count);
    for (let i = 0; i < count; i++) {
        const key = (cellOf(others[3 * i], 0) * cells + cellOf(others[3 * i + 1], 1)) * cells + cellOf(others[3 * i + 2], 2);
        next[i] = heads.get(key) ?? -1;
        heads.set(key, i);
    }
    const found = new Float32Array(points.length / 3);
    for (let i = 0; i < found.length; i++) {
        const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]], home = [cellOf(x, 0), cellOf(y, 1), cellOf(z, 2)];
        let best = Infinity;
        // Shells of cells around the point, until no nearer one can follow.
        for (let ring = 0; ring < cells && (best === Infinity || best > (ring - 1) * size); ring++)
            for (let a = Math.max(0, home[0] - ring); a <= Math.min(cells - 1, home[0] + ring); a++)
                for (let b = Math.max(0, home[1] - ring); b <= Math.min(cells - 1, home[1] + ring); b++) {
                    const isEdge = Math.abs(a - home[0]) === ring || Math.abs(b - home[1]) === ring;
                    for (let c = home[2] - ring; c <= home[2] + ring; c += isEdge || ring === 0 ? 1 : 2 * ring) {
                        if (c < 0 || c >= cells) continue;
                        for (let k = heads.get((a * cells + b) * cells + c) ?? -1; k >= 0; k = next[k])
                            best = Math.min(best, Math.hypot(others[3 * k] - x, others[3 * k + 1] - y, others[3 * k + 2] - z));
                    }
                }
        found[i] = best;
    }
    return found;
}
