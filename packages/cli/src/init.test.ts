import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@purse/server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { initProject } from "./init.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("initProject() writes settings and cloud code that the server accepts", async () => {
  expect(await initProject(folder)).toEqual([
    { file: "purse.config.ts", isWritten: true },
    { file: "cloud/main.ts", isWritten: true },
  ]);
  const config = await loadConfig({ argv: [], env: {}, cwd: folder });
  expect(config.schemas).toMatchObject([{ className: "Note" }]);
  expect(config.cloudFile).toBe(join(folder, "cloud/main.ts"));
});

it("initProject() keeps existing files", async () => {
  writeFileSync(join(folder, "purse.config.ts"), "export default {};");
  expect(await initProject(folder)).toEqual([
    { file: "purse.config.ts", isWritten: false },
    { file: "cloud/main.ts", isWritten: true },
  ]);
  expect(readFileSync(join(folder, "purse.config.ts"), "utf8")).toBe("export default {};");
});
