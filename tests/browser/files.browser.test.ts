import { describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { expectNoErrors } from "../support/browser.ts";
import { rest } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";
import { serveAppBy } from "../support/webApp.ts";

const app = serveAppBy(hostSite);

describe("the files page", () => {
  it("uploads, previews, annotates, shares, deletes and restores a picture", async () => {
    const visitor = await app.openAs("filer", "/files");
    const { page } = visitor;
    await page.getByText("No files yet").waitFor();
    const picture = await page.locator("h1").screenshot();
    const file = { name: "hällo & co.png", mimeType: "image/png", buffer: picture };
    await page.getByLabel("Files to upload").setInputFiles(file);
    const name = page.getByRole("button", { name: file.name, exact: true });
    await name.click();
    const preview = page.getByRole("dialog", { name: file.name }).locator("img.preview");
    await expect
      .poll(() => preview.evaluate((image) => Reflect.get(image, "naturalWidth")))
      .toBeGreaterThan(0);
    await page.getByRole("textbox", { name: "Tags" }).fill("greeting, short");
    await page.getByRole("button", { name: "Add metadata" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("author");
    await page.getByRole("textbox", { name: "Value" }).fill("grace");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved").waitFor();
    await page.getByRole("switch", { name: "Public" }).click();
    await page.getByText("File is now public").waitFor();
    await expectAccessible(page);
    const { body } = await rest(app.purse, "GET", "/classes/StoredFile");
    expect(body.results).toMatchObject([
      { tags: ["greeting", "short"], metadata: { author: "grace" }, size: picture.length },
    ]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: `Delete ${file.name}` }).click();
    // The toast stays while the pointer is over it.
    await page.getByRole("button", { name: "Undo" }).hover();
    await page.getByText("No files yet").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await name.waitFor();
    expectNoErrors(visitor);
  });
});
