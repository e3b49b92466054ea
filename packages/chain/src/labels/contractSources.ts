import { isJsonObject, type JsonValue, parseJson } from "@purse/protocol";
import { getAddress, keccak256, toBytes } from "viem";
import { z } from "zod";
import type { ChainConfig } from "../model/chainConfig.ts";
import { isUrl, readOperatorFile } from "./operatorFile.ts";

/** Max size of one file, in bytes, and max number of files of a contract. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 500;
/** `full`: the metadata hash in the bytecode is that of the metadata; `partial`: the bytecode without it is equal. */
const MATCHES = ["full", "partial"] as const;

/** The verified source code of a contract. */
export interface ContractSource {
  match: (typeof MATCHES)[number];
  name: string;
  /** Such as Solidity or Vyper. */
  language: string;
  compilerVersion: string;
  evmVersion: string | null;
  /** Null without the optimizer. */
  optimizerRuns: number | null;
  abi: JsonValue[];
  /** Content is null if the repository does not have it as it was compiled. */
  files: { path: string; content: string | null }[];
}

/** What the compiler writes (https://docs.soliditylang.org/en/latest/metadata.html), as far as it is used here. */
const METADATA = z.object({
  language: z.string(),
  compiler: z.object({ version: z.string() }),
  output: z.object({ abi: z.array(z.custom<JsonValue>(isJsonObject)) }),
  settings: z.object({
    compilationTarget: z.record(z.string(), z.string()),
    evmVersion: z.string().optional(),
    optimizer: z.object({ enabled: z.boolean().optional(), runs: z.number().optional() }).optional(),
  }),
  sources: z.record(
    z.string(),
    z.object({ keccak256: z.string().optional(), content: z.string().optional() }),
  ),
});

/**
 * Verified sources in the operator's repositories: folders or URLs with the layout of Sourcify
 * (`contracts/full_match/{chain id}/{address}/metadata.json`).
 */
export class ContractSources {
  readonly #chainId: number;
  readonly #repositories: readonly string[];

  constructor(config: Pick<ChainConfig, "id" | "labels">) {
    this.#chainId = config.id;
    this.#repositories = config.labels?.sources ?? [];
  }

  /** Whether the operator has repositories. */
  get isConfigured(): boolean {
    return this.#repositories.length > 0;
  }

  /**
   * The source of a contract in the first repository that has it; undefined if none does. Rejects with Error if a
   * repository cannot be read.
   */
  async of(address: string): Promise<ContractSource | undefined> {
    for (const repository of this.#repositories) {
      for (const match of MATCHES) {
        const path = `contracts/${match}_match/${this.#chainId}/${getAddress(address)}`;
        const base = `${repository.replace(/\/+$/, "")}/${path}`;
        const text = await readOperatorFile(`${base}/metadata.json`, MAX_BYTES);
        if (text !== undefined) return readSource(base, match, text);
      }
    }
    return undefined;
  }
}

async function readSource(
  base: string,
  match: ContractSource["match"],
  text: string,
): Promise<ContractSource> {
  const { success, data: metadata } = METADATA.safeParse(parseJson(text));
  if (!success) throw new Error("metadata.json is not that of a compiler");
  const { language, compiler, output, settings, sources } = metadata;
  const names = Object.entries(sources);
  if (names.length > MAX_FILES) throw new Error(`the contract has more than ${MAX_FILES} files`);
  const files = await Promise.all(
    names.map(async ([path, { keccak256: hash, content }]) => {
      const found = content ?? (await readFileOf(base, path));
      const isOriginal = found !== undefined && (hash === undefined || keccak256(toBytes(found)) === hash);
      return { path, content: isOriginal ? found : null };
    }),
  );
  return {
    match,
    name: Object.values(settings.compilationTarget)[0] ?? "",
    language,
    compilerVersion: compiler.version,
    evmVersion: settings.evmVersion ?? null,
    optimizerRuns: settings.optimizer?.enabled ? (settings.optimizer.runs ?? null) : null,
    abi: output.abi,
    files,
  };
}

/** A file of the sources; undefined if its path leads out of their folder, as metadata can come from anyone. */
async function readFileOf(base: string, path: string): Promise<string | undefined> {
  const segments = path.replace(/^\/+/, "").split("/");
  if (path.includes("\\") || path.includes("\0") || segments.some((each) => each === ".." || each === "."))
    return undefined;
  const encoded = isUrl(base) ? segments.map(encodeURIComponent) : segments;
  return readOperatorFile(`${base}/sources/${encoded.join("/")}`, MAX_BYTES);
}
