import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ENDPOINTS } from "@purse/chain";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

it("Web3API is generated from the endpoint table and up to date", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "scripts/web3api.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect(stdout + stderr).toBe("web3api.ts: 0 of 3 generated files stale\n");
  expect(status).toBe(0);
});

it("Web3API contains no endpoint descriptions in application bundles", () => {
  const textOf = (file: string) => readFileSync(join(ROOT, "packages/client/src/web3api", file), "utf8");
  const text = textOf("operations.ts");
  const value = text.slice(text.indexOf("export const operations")) + textOf("routes.ts");
  for (const { about } of Object.values(ENDPOINTS)) expect(value).not.toContain(about);
});
