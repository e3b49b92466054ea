import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, newest, nothing, page, results, row, text } from "./fields.ts";

export const studioChain = z
  .object({
    chain: z.int(),
    name: z.string(),
    title: z.string().describe("Display name"),
    scope: z.enum(["chain", "wallets"]),
    state: z.enum(["syncing", "following", "stalled", "unreachable", "refused", "stopped"]),
    start: z.int(),
    head: z.int().nullable(),
    safe: z.int().nullable(),
    finalized: z.int().nullable(),
    indexed: z.int().nullable(),
    lag: z.int().nullable().describe("In blocks"),
    percent: z.number().nullable(),
    blocksPerSecond: z.number(),
    etaSeconds: z.number().nullable(),
    nodes: z.array(
      z.object({
        host: z.string(),
        state: z.enum(["unused", "well", "behind", "failing", "refused"]),
        head: z.int().optional().describe("Its latest block, if there are several nodes"),
        latencyMs: z.number().optional(),
        error: z.string().optional(),
      }),
    ),
    untraced: z.int().optional().describe("Transactions that no node could trace since the start"),
    keptFrom: z.int().optional().describe("First block whose events are kept, if others have been removed"),
    rebuild: z
      .object({
        indexed: z.int().nullable(),
        blocks: z.int().describe("Blocks that it has"),
        missing: z.int().nullable().describe("Blocks that it does not have yet"),
        percent: z.number().nullable(),
        blocksPerSecond: z.number(),
        etaSeconds: z.number().nullable(),
        error: z.string().optional(),
      })
      .optional()
      .describe("How far the index is that is being built and will take the place of this one"),
    term: z.int().optional(),
    isDatabaseUnavailable: z.literal(true).optional().describe("The database of the index cannot be reached"),
    error: z.string().optional(),
  })
  .describe("State of a chain's index, as in `/health`, with the name of the chain for users")
  .meta({ id: "StudioChain" });
export type StudioChain = z.infer<typeof studioChain>;

/** A wallet in the index of known wallets. */
export const studioWatchedAddress = z
  .object({
    address: z.string().describe("Lower-case hexadecimal"),
    percent: z.number().describe("How much of its history has been indexed, 0 to 100"),
  })
  .meta({ id: "StudioWatchedAddress" });
export type StudioWatchedAddress = z.infer<typeof studioWatchedAddress>;

const watch = z.object({ fields: jsonObject });

export const chainEndpoints = {
  chains: endpoint("GET", "/chains", {
    needs: "readOnly",
    summary: "Chains and the state of their indexes",
    input: nothing,
    response: results(studioChain),
  }),
  addresses: endpoint("GET", "/chains/:chainId/addresses", {
    needs: "readOnly",
    summary: "Wallets of an index with the scope `wallets`, at most 500, those still being indexed first",
    input: nothing,
    response: z.object({ count: z.int(), results: z.array(studioWatchedAddress) }),
  }),
  addAddress: endpoint("POST", "/chains/:chainId/addresses", {
    needs: "editor",
    summary: "Indexes the address and its history",
    input: z.object({
      address: text(100).refine((value) => /^0x[0-9a-fA-F]{40}$/.test(value), "must be an address"),
    }),
    response: z.object({ address: z.string() }),
    status: 201,
  }),
  watches: endpoint("GET", "/watches", {
    needs: "readOnly",
    summary: "Rows of `_ChainWatch`",
    input: z.object(newest),
    response: page(row),
  }),
  addWatch: endpoint("POST", "/watches", {
    needs: "editor",
    summary: "Adds a watch",
    input: watch,
    response: row,
    status: 201,
  }),
  changeWatch: endpoint("PUT", "/watches/:objectId", {
    needs: "editor",
    summary: "Changes a watch",
    input: watch,
    response: row,
  }),
  removeWatch: endpoint("DELETE", "/watches/:objectId", {
    needs: "editor",
    summary: "Deletes a watch",
    input: nothing,
    response: nothing,
  }),
};
