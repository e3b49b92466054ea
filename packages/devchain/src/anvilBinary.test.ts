import { accessSync, constants } from "node:fs";
import { expect, it } from "vitest";
import { anvilBinary } from "./anvilBinary.ts";

it("finds an executable on this machine", () => {
  expect(() => accessSync(anvilBinary(), constants.X_OK)).not.toThrow();
});

it("falls back to the launcher in node_modules/.bin where the platform's package is not found", () => {
  expect(anvilBinary("freebsd", "riscv64")).toMatch(/node_modules\/\.bin\/anvil$/);
});
