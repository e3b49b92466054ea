import { isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";

/** `watch` of the config file. Its entries are validated once the chains are known. */
export const eventWatchesSchema = z
  .array(
    z.custom<JsonObject>(isJsonObject, {
      error: "it must be { chainId, address, tableName, abi, topic, filter, … }",
    }),
  )
  .default([]);
