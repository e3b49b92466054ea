import { setting } from "@purse/kernel";
import { flag, integer } from "../../config/settingTypes.ts";

const group = "Data API";

/** Whether the data API needs keys, and how many requests it takes. */
export const apiKeySettings = {
  requireApiKey: setting(flag(), {
    group,
    description:
      "1 requires an API key for the data API (/api/v2 and its cloud functions); the functions are also open to signed-in users and to pages of this server and of siweDomains.",
    default: { development: "0", production: "1" },
  }),
  apiKeyLimit: setting(integer(1, 1_000_000_000), {
    group,
    default: "3000",
    description: "Requests to the data API per minute with one API key, unless the key has its own limit.",
  }),
  addressLimit: setting(integer(1, 1_000_000_000), {
    group,
    default: "1500",
    description:
      "Requests to the data API per minute from one IP address without an API key. In development, localhost is not limited.",
  }),
};
