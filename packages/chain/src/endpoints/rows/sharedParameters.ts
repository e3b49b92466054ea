import { MARKETPLACE_NAMES } from "../../model/chainConfig.ts";
import * as pages from "../pageParameters.ts";
import * as values from "../parameterValues.ts";

/** Shared parameters of endpoints. */

export const chain = values.chainSelector
  .prefault("eth")
  .describe("Chain: a name such as eth, polygon or bsc, or an id in hexadecimal or decimal.");

export const tokenId = values.tokenId.describe("Token id, decimal or hexadecimal.");

export const blockNumberOrHash = values.blockOrHash.describe("Block number, block hash, or latest.");

/** A number, decimal or as in JSON-RPC. */
const blockNumber = values.blockNumber.optional();

export const atBlock = blockNumber.describe("Block number; default latest.");

/** For endpoints at one block. */
export const atDate = values.time.optional().describe("Point in time; ignored if to_block is given.");

/** A range of blocks or of time. */
export const range = {
  from_block: blockNumber.describe("First block of the range; takes precedence over from_date."),
  to_block: blockNumber.describe("Last block of the range; takes precedence over to_date."),
  from_date: values.time.optional().describe("Start of the time range."),
  to_date: values.time.optional().describe("End of the time range."),
};

export const limit = pages.limit.prefault(500).describe("Page size; at most 500.");

const offset = pages.offset.prefault(0).describe("Number of rows to skip; at most 100000.");

export const disableTotal = values.boolean
  .optional()
  .describe("Omits the total, which takes time to count for long lists.");

export const cursor = pages.cursor.optional().describe("Cursor of the previous page.");

/** A page by number of rows or by cursor. */
export const listPage = { offset, limit, cursor, disable_total: disableTotal };

export const listOrder = values.choice(["desc", "asc"]).prefault("desc").describe("Sort order by block.");

/** Documented parameters of lists of NFTs for which there is no data. */
export const NO_MEDIA = { media_items: "images are at /nft/{address}/{token_id}/image" };

export const format = values
  .choice(["decimal", "hex"])
  .prefault("decimal")
  .describe("Format of token ids in the response.");

export const excludeSpam = values.boolean.prefault(false).describe("Whether to omit possible spam.");

export const excludeUnverified = values.boolean
  .prefault(false)
  .describe("Whether to omit tokens that no list of the operator contains.");

export const normalizeMetadata = values.boolean
  .prefault(false)
  .describe("Whether to add the metadata in a uniform form as normalized_metadata.");

export const marketplace = values
  .choice([...MARKETPLACE_NAMES, "all"])
  .prefault("opensea")
  .describe("Marketplace of the sales; opensea includes all sales through Seaport and Wyvern.");
