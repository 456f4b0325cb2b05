// pictures.mjs: makes the pictures of the page in docs/pictures. Usage: node pictures.mjs FOLDER
// SPDX-License-Identifier: MIT

import { join } from "node:path";

import { drop, openPage, startBrowser } from "./browser.mjs";
import { sampleFiles } from "./models.mjs";

const [folder] = process.argv.slice(2);
const browser = await startBrowser();

async function take(name, { file = "crane.gpb", panel, act, ...screen }) {
    const page = await openPage(browser, screen);
    await drop(page, sampleFiles(file), file);
    if (panel) await page.evaluate((id) => document.getElementById(`tab-panel-${id}`).click(), panel);
    if (act) await page.evaluate(act);
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
}

await take("page", { width: 1024, height: 620, act: () => tenonPage.player.choose(1, 0.9) });
await take("page-narrow", { width: 360, height: 640, scheme: "dark", panel: "bytes" });
await browser.close();
