import { accessSync, constants } from "node:fs";
import { expect, it } from "vitest";
import { anvilBinary } from "./anvilBinary.ts";

it("anvilBinary() returns an executable on this machine", () => {
  expect(() => accessSync(anvilBinary(), constants.X_OK)).not.toThrow();
});

it("anvilBinary() falls back to the launcher in node_modules/.bin if the platform's package is missing", () => {
  expect(anvilBinary("freebsd", "riscv64")).toMatch(/node_modules\/\.bin\/anvil$/);
});
