import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { rest } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { openStudio, setUpStudio } from "../support/studio.ts";
import { dialog } from "../support/studioPage.ts";
import { serveAppBy } from "../support/webApp.ts";

const MASTER = { useMasterKey: true };

const app = serveAppBy(hostSite);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-backups-"));
  await setUpStudio(app.purse);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("a backup is created, downloaded, uploaded and restored after a typed confirmation, with progress", async () => {
  const note = () => rest(app.purse, "POST", "/classes/Remembered", {}, MASTER);
  const count = async () =>
    (await rest(app.purse, "GET", "/classes/Remembered?count=1&limit=0", undefined, MASTER)).body.count;
  await note();
  const before = await count();
  const { page } = await app.open();
  page.setDefaultTimeout(30_000);
  await openStudio(page, app.purse, "ada", "/backup");
  await page.getByRole("button", { name: "Create backup" }).click();
  const link = page.getByRole("link", { name: /^Download purse-2/ }).first();
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  expect(download.suggestedFilename()).toMatch(/^purse-.*\.sqlite$/);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  await note();

  await page.getByRole("button", { name: "Upload backup" }).click();
  const broken = { name: "broken.sqlite", mimeType: "application/vnd.sqlite3", buffer: Buffer.from("no") };
  await dialog(page).getByLabel("File").setInputFiles(broken);
  await dialog(page).getByRole("button", { name: "Upload", exact: true }).click();
  await dialog(page).getByRole("alert").waitFor();
  await dialog(page).getByLabel("File").setInputFiles(file);
  await dialog(page).getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("cell", { name: "Uploaded" }).first().waitFor();
  await expectAccessible(page);
  await page
    .getByRole("button", { name: /^Restore purse-uploaded-/ })
    .first()
    .click();
  const go = dialog(page).getByRole("button", { name: "Restore" });
  await expect.poll(() => go.isDisabled()).toBe(true);
  await dialog(page).getByLabel("Type restore to confirm").fill("restore");
  await go.click();
  await page.getByText(/^purse-uploaded-.* restored$/).waitFor();
  await page.getByText("The previous database was saved as purse-before-restore-").waitFor();
  await page.getByRole("cell", { name: "Automatic, before restore" }).first().waitFor();
  expect(await count()).toBe(before);
}, 120_000);
