// examine.mjs: everything that the package says about a model, the same in Node and in browsers.
// SPDX-License-Identifier: MIT

async function digest(data) {
    const hash = await crypto.subtle.digest("SHA-256", data);
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What a call gives: files as their hashes, and errors as their members. */
async function outcome(tenon, call) {
    try {
        const result = await call();
        if (!result?.files) return result ?? null;
        const files = await Promise.all(result.files.map(async ({ name, data }) =>
            [name, data.length, await digest(data)]));
        return { ...result, files };
    } catch (error) {
        if (!(error instanceof tenon.TenonError)) throw error;
        return { error: { ...error, message: error.message } };
    }
}

/** All reports about the first file, and what is made of it. */
export async function examine(tenon, files, targets) {
    const model = await tenon.open(files, { damaged: true, full: true });
    const calls = {
        info: () => model.info(),
        check: () => model.check(),
        tree: () => model.tree(),
        map: () => model.map({ to: 4096, cells: true }),
        salvage: () => model.salvage({ to: "glb" }),
    };
    for (const target of targets)
        calls[target] = () => model.convert(target, { verify: target === "glb" });
    const said = {};
    for (const [name, call] of Object.entries(calls)) said[name] = await outcome(tenon, call);
    model.close();
    // As it arrives from a browser.
    return JSON.parse(JSON.stringify(said));
}
