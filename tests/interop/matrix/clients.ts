import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Purse } from "../../support/purse.ts";
import type { Outcome } from "./operation.ts";

/** A client of the matrix. */
export interface ClientRun {
  client: string;
  version?: string;
  /** The module that it is loaded as. */
  module: string;
  /** Of React clients: the module that stands for `moralis` or `moralis-v1`. */
  moralis?: string;
}

const version = (client: string, ...versions: string[]): ClientRun[] =>
  versions.map((each) => ({ client, version: each, module: `${client}-${each}` }));

/** The clients that run in Node.js. */
export const MATRIX: readonly ClientRun[] = [
  ...version("parse", "1.11.1", "2.19.0", "3.5.1", "4.3.1", "5.3.0", "6.1.1", "7.1.2", "8.6.2"),
  ...version("moralis", "0.0.118", "0.0.184", "1.0.0", "1.3.5", "1.7.0"),
  ...version("moralis-v1", "1.13.0"),
  { client: "@purse/client", module: "@purse/client" },
];

/** The clients that run in a document, with the version of moralis of their time. */
export const REACT_MATRIX: readonly ClientRun[] = [
  { client: "react-moralis", version: "0.2.8", module: "react-moralis-0.2.8", moralis: "moralis-0.0.118" },
  { client: "react-moralis", version: "0.3.11", module: "react-moralis-0.3.11", moralis: "moralis-0.0.184" },
  { client: "react-moralis", version: "1.2.1", module: "react-moralis-1.2.1", moralis: "moralis-1.3.5" },
  { client: "react-moralis", version: "1.4.2", module: "react-moralis-1.4.2", moralis: "moralis-v1-1.13.0" },
  { client: "@purse/react", version: "with React 17", module: "@purse/react", moralis: "@purse/client" },
];

/** How long a client may take, in ms. */
const LIMIT_MS = 180_000;

/** Runs the scenario with a client in a process of its own, whose packages are found from `folder`. */
export async function runClient(
  { module, moralis }: ClientRun,
  purse: Purse,
  folder: string = import.meta.dirname,
): Promise<Outcome[]> {
  const script = `${import.meta.dirname}/${moralis ? "runHooks" : "runClient"}.ts`;
  const server = [purse.serverUrl, purse.appId, purse.masterKey, purse.rpcUrl];
  const args = [script, module, ...server, ...(moralis ? [moralis] : [])];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: LIMIT_MS });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  } catch (error) {
    const { stderr, message } = Object(error);
    return [
      {
        operation: "run",
        result: "failed",
        problem: String(stderr || message)
          .trim()
          .slice(0, 500),
      },
    ];
  }
}
