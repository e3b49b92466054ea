import { resolve } from "node:path";
import { expect, it } from "vitest";
import { startPurse } from "./purse.ts";

it("startPurse() rejects at once with the signal that ended the process of a server", async () => {
  const serverFile = resolve(import.meta.dirname, "../fixtures/killedStart.mjs");
  await expect(startPurse({ serverFile })).rejects.toThrow("its process was ended by SIGKILL");
});
