import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { compileContracts } from "./compile.ts";

it("compileContracts() creates exactly the artifacts in the repository", { timeout: 60_000 }, () => {
  const artifacts = compileContracts();
  expect([...artifacts.keys()]).toEqual([
    "BalancerPool",
    "BalancerVault",
    "CurvePool",
    "CurveRegistry",
    "HostileDecimals",
    "HostileLogs",
    "HostileName",
    "HostileReverter",
    "LogEmitter",
    "PurseBazaar",
    "PurseCards",
    "PurseDollar",
    "PurseGallery",
    "PurseItems",
    "PurseKiosk",
    "PurseLegacy",
    "PurseMarket",
    "PurseNames",
    "PurseOffchain",
    "PursePieces",
    "PursePoint",
    "PurseReader",
    "PurseResolver",
    "PurseSeries",
    "PurseTickets",
    "PurseToken",
    "PurseWallet",
    "PurseWalletFactory",
    "PurseWildcard",
    "PurseWrapped",
    "TrafficCoin",
    "TrafficGenerator",
    "TrafficItems",
    "TrafficPieces",
  ]);
  for (const [contractName, text] of artifacts) {
    expect(text).toBe(readFileSync(new URL(`../artifacts/${contractName}.json`, import.meta.url), "utf8"));
  }
});
