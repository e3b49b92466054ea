import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Abi, Hex } from "viem";
import { isHex } from "viem/utils";

/** A compiled contract as written by `scripts/compile.ts`. */
export interface Artifact {
  contractName: string;
  abi: Abi;
  /**
   * Creation code. Constructor arguments: PurseWallet owner; TrafficCoin name, symbol and decimals; PurseSeries
   * owners and counts; others none.
   */
  bytecode: Hex;
}

export type ContractName =
  | "BalancerPool"
  | "BalancerVault"
  | "CurvePool"
  | "CurveRegistry"
  | "HostileDecimals"
  | "HostileLogs"
  | "HostileName"
  | "HostileReverter"
  | "LogEmitter"
  | "PurseBazaar"
  | "PurseCards"
  | "PurseDollar"
  | "PurseGallery"
  | "PurseItems"
  | "PurseKiosk"
  | "PurseLegacy"
  | "PurseMarket"
  | "PurseNames"
  | "PurseOffchain"
  | "PursePieces"
  | "PursePoint"
  | "PurseReader"
  | "PurseResolver"
  | "PurseSeries"
  | "PurseTickets"
  | "PurseToken"
  | "PurseWallet"
  | "PurseWalletFactory"
  | "PurseWildcard"
  | "PurseWrapped"
  | "TrafficCoin"
  | "TrafficGenerator"
  | "TrafficItems"
  | "TrafficPieces";

/** Reads `artifacts/<name>.json`. Throws an Error that names the file if it is not an artifact. */
export function readArtifact(name: ContractName): Artifact {
  const file = new URL(`../artifacts/${name}.json`, import.meta.url);
  const artifact: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isArtifact(artifact))
    throw new Error(`${file.pathname} is not a contract artifact; run "npm run contracts"`);
  return artifact;
}

const require = createRequire(import.meta.url);

/** Reads an artifact of another package by its path. Throws an Error that names it if it is not an artifact. */
export function readPackageArtifact(path: string): Artifact {
  const artifact: unknown = JSON.parse(readFileSync(require.resolve(path), "utf8"));
  const prefixed = withPrefix(artifact);
  if (!isArtifact(prefixed)) throw new Error(`${path} is not a contract artifact`);
  const { contractName, abi, bytecode } = prefixed;
  return { contractName, abi, bytecode };
}

/** Tools of older compilers write creation code without 0x. */
function withPrefix(artifact: unknown): unknown {
  if (typeof artifact !== "object" || artifact === null || !("bytecode" in artifact)) return artifact;
  const { bytecode } = artifact;
  if (typeof bytecode !== "string" || bytecode.startsWith("0x")) return artifact;
  return { contractName: "", ...artifact, bytecode: `0x${bytecode}` };
}

const abiEntryTypes = new Set(["constructor", "error", "event", "fallback", "function", "receive"]);

function isArtifact(value: unknown): value is Artifact {
  if (typeof value !== "object" || value === null) return false;
  if (!("contractName" in value) || !("abi" in value) || !("bytecode" in value)) return false;
  return typeof value.contractName === "string" && isAbi(value.abi) && isHex(value.bytecode);
}

function isAbi(value: unknown): value is Abi {
  return Array.isArray(value) && value.every((entry) => abiEntryTypes.has(entry?.type));
}
