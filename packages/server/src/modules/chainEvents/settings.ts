import { setting } from "@purse/kernel";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";
import { oneOf } from "../../config/settingTypes.ts";

/** `watch` of the config file. Its entries are validated once the chains are known. */
export const eventWatchesSchema = z
  .array(
    z.custom<JsonObject>(isJsonObject, {
      error: "it must be { chainId, address, tableName, abi, topic, filter, … }",
    }),
  )
  .default([]);

const group = "Chains";

/** Which events and addresses are stored as objects. */
export const chainEventSettings = {
  syncUserAddresses: setting(oneOf(["off", "new", "historical"]), {
    group,
    default: "off",
    description:
      "Stores transactions, transfers and balances of the users' linked addresses as objects (EthTransactions, …): from now on, or with their history.",
  }),
  watch: setting(eventWatchesSchema, {
    group,
    env: null,
    description:
      "Store on-chain events as objects: a list of { chainId, address, abi, topic, tableName, filter, sync_historical, confirmations, webhook }; without abi, the transfers of the address.",
  }),
};
