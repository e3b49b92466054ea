import { describe, expect, it } from "vitest";
import { explainStartError } from "./startErrors.ts";

const CONFIG = { host: "127.0.0.1", port: 80, dataDir: "/srv/purse" };
const systemError = (code: string, details: { syscall?: string; path?: string } = {}) =>
  Object.assign(new Error(`${code}: failed`), { code, ...details });

describe("explainStartError()", () => {
  it.each([
    [
      "a port that is in use",
      systemError("EADDRINUSE", { syscall: "listen" }),
      /^Port 80 .* is in use.*--port$/,
    ],
    [
      "a port that needs permissions",
      systemError("EACCES", { syscall: "listen" }),
      /^Port 80 .* needs permissions/,
    ],
    [
      "a file that cannot be written",
      systemError("EACCES", { syscall: "open", path: "/srv/purse/keys.json" }),
      /^This user may not write \/srv\/purse\/keys\.json.*PURSE_DATA_DIR$/,
    ],
    ["a folder whose name the error lacks", systemError("EACCES"), /^This user may not write \/srv\/purse:/],
  ])("names %s and what to change", (_, error, text) => {
    expect(explainStartError(error, CONFIG)).toMatchObject({ message: expect.stringMatching(text) });
  });

  it("returns other errors unchanged", () => {
    for (const error of [systemError("ENOSPC"), new Error("other")])
      expect(explainStartError(error, CONFIG)).toBe(error);
  });
});
