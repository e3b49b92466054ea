import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileContracts, digestOfContracts, recordedDigest } from "./compile.ts";

const artifactOf = (contractName: string) =>
  readFileSync(new URL(`../artifacts/${contractName}.json`, import.meta.url), "utf8");

it("the artifacts in the repository are those of the last `npm run contracts`, with the same sources and compiler", () => {
  expect(recordedDigest()).toBe(digestOfContracts());
  const inFolder = (folder: string, extension: string) =>
    readdirSync(new URL(`../${folder}/`, import.meta.url))
      .filter((file) => file.endsWith(extension))
      .map((file) => file.slice(0, -extension.length))
      .sort();
  expect(inFolder("artifacts", ".json")).toEqual(inFolder("contracts", ".sol"));
});

// Compiling takes ten seconds of CPU time.
if (process.env.PURSE_PROVE_CONTRACTS === "1") {
  it("compileContracts() creates exactly the artifacts in the repository", async () => {
    for (const [contractName, text] of await compileContracts()) expect(text).toBe(artifactOf(contractName));
  });
}
