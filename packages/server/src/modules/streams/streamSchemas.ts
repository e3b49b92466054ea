import { z } from "zod";

/*
 * Schemas of the Streams API of Moralis (https://docs.moralis.com/streams). Extensions of this server are marked in
 * their descriptions.
 */

const MAX_LIST = 500;
/** A NUL cannot be stored by every database. */
const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*$/, "must not contain NUL");
const jsonObject = z.record(z.string(), z.json());
const chainId = z.union([z.string().max(66), z.int()]).describe("Hexadecimal, as in `0x1`");
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be an address: 0x and 40 hexadecimal digits")
  .overwrite((value) => value.toLowerCase());
const streamType = z.enum(["tx", "log", "erc20transfer", "erc20approval", "nfttransfer", "internalTx"]);

const advancedOption = z.object({
  topic0: line(500).describe("Signature or hash of an event"),
  filter: jsonObject
    .nullish()
    .describe("Expression of `and`, `or`, `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in`, `nin`"),
  includeNativeTxs: z.boolean().optional().describe("Includes the transactions of its logs"),
});

export const nativeBalanceOption = z.object({
  selectors: z.array(line(66)).min(1).max(10).describe("As in `$fromAddress`, `$to`, or an address"),
  type: streamType,
});

export const STREAM_REGIONS = ["us-east-1", "us-west-2", "eu-central-1", "ap-southeast-1"] as const;
export type StreamRegion = (typeof STREAM_REGIONS)[number];

export const streamSettings = z.object({
  region: z.enum(STREAM_REGIONS).describe("Kept, without effect: streams run on this server"),
});

/** What a stream is created with. */
export const streamInput = z.object({
  webhookUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  description: line(1_000).default(""),
  tag: line(200).default(""),
  chainIds: z.array(chainId).min(1).max(100),
  topic0: z.array(line(500)).max(MAX_LIST).nullish().describe("Signatures or hashes of events; all if empty"),
  allAddresses: z.boolean().default(false).describe("Events of all contracts; needs `abi` and `topic0`"),
  includeNativeTxs: z.boolean().default(false),
  includeContractLogs: z.boolean().default(false),
  includeInternalTxs: z.boolean().default(false),
  includeAllTxLogs: z.boolean().default(false),
  filterPossibleSpamAddresses: z.boolean().default(false),
  getNativeBalances: z.array(nativeBalanceOption).max(10).default([]),
  abi: z
    .array(z.union([jsonObject, line(1_000)]))
    .max(MAX_LIST)
    .nullish()
    .describe("Entries, or declarations as in Solidity"),
  advancedOptions: z.array(advancedOption).max(100).nullish(),
  demo: z.boolean().optional().describe("Ignored"),
  triggers: z.array(z.json()).max(0, "are not supported").nullish(),
  confirmations: z
    .int()
    .min(0)
    .max(100_000)
    .default(0)
    .describe("Extension: blocks after which a block counts as confirmed; 0 for the finality of the chain"),
  includeRemoved: z
    .boolean()
    .default(false)
    .describe("Extension: also announces blocks that a reorganization removed, with `removed: true`"),
});

/** What of a stream can be changed: no property has a default. */
export const streamChange = z.object(
  Object.fromEntries(
    Object.entries(streamInput.shape).map(([name, schema]) => [
      name,
      (schema instanceof z.ZodDefault ? schema.unwrap() : schema).optional(),
    ]),
  ),
);

export const streamStatus = z.enum(["active", "paused"]);

export const streamModel = z
  .object({
    ...Object.fromEntries(
      Object.entries(streamInput.shape).filter(([name]) => name !== "demo" && name !== "triggers"),
    ),
    id: z.string(),
    status: streamStatus,
    statusMessage: z.string().describe("The error of the last delivery that failed, if none succeeded since"),
  })
  .meta({ id: "Stream" });

export const addressInput = z.object({
  address: z.union([address, z.array(address).min(1).max(10_000)]),
});
export const addressResult = z.object({
  streamId: z.string(),
  address: z.union([z.string(), z.array(z.string())]),
});

export const pageInput = z.object({
  limit: z.int().min(1).max(500).default(100).describe("100, at most 500"),
  cursor: line(500).optional().describe("`cursor` of the previous page"),
});

export const replayInput = z.object({
  chainId,
  fromBlock: z.int().min(0),
  toBlock: z.int().min(0),
});
export const replayModel = z
  .object({
    id: z.string(),
    streamId: z.string(),
    chainId: z.string(),
    fromBlock: z.int(),
    toBlock: z.int(),
    nextBlock: z.int().describe("The next block to replay; after `toBlock` when it is done"),
    status: z.enum(["running", "done", "failed"]),
    statusMessage: z.string().optional().describe("Why it has failed"),
  })
  .meta({ id: "StreamReplay" });

export const streamStats = z
  .object({
    totalWebhooksDelivered: z.int(),
    totalWebhooksFailed: z.int().describe("Attempts that failed"),
    totalLogsProcessed: z.int(),
    totalTxsProcessed: z.int(),
    totalTxsInternalProcessed: z.int(),
    streamId: z.string().optional(),
    queueSize: z.int().describe("Extension: deliveries that are waiting"),
  })
  .meta({ id: "StreamStats" });

export const historyModel = z
  .object({
    id: z.string(),
    date: z.string(),
    payload: z.record(z.string(), z.json()).optional(),
    tinyPayload: z.object({
      chainId: z.string(),
      confirmed: z.boolean(),
      block: z.string(),
      records: z.int(),
      retries: z.int(),
    }),
    errorMessage: z.string(),
    webhookUrl: z.string(),
    streamId: z.string(),
    tag: z.string(),
  })
  .meta({ id: "StreamHistory" });

export const deliveryLogModel = z
  .object({
    id: z.string(),
    streamId: z.string(),
    chain: z.string(),
    webhookUrl: z.string(),
    tag: z.string(),
    retries: z.int(),
    deliveryStatus: z.enum(["failed", "success", "waiting"]),
    blockNumber: z.int(),
    errorMessage: z.string(),
    type: z.literal("evm"),
    createdAt: z.string(),
  })
  .meta({ id: "StreamDeliveryLog" });
