import { LOG_LEVELS } from "../../core/logger.ts";
import { flag, integer, oneOf, setting, text } from "../settingTypes.ts";

/** Cloud code, the local chain and logs. */
export const codeSettings = {
  cloud: setting(text().optional(), {
    group: "Cloud code and webhooks",
    flag: "--cloud",
    env: "PURSE_CLOUD",
    description: "Cloud code file, TypeScript or JavaScript. Default: ./cloud/main.ts if it exists.",
  }),
  encodeParseObjectInCloudFunction: setting(flag(), {
    group: "Cloud code and webhooks",
    env: "PURSE_ENCODE_PARSE_OBJECT_IN_CLOUD_FUNCTION",
    default: "1",
    description:
      "1 passes pointers in the parameters of cloud functions and jobs as Parse.Object. 0 passes plain objects ({ __type, className, objectId }), as Parse Server 7 and earlier do by default.",
  }),
  devChain: setting(flag(), {
    group: "Chains",
    env: "PURSE_DEV_CHAIN",
    description: "1 starts the local chain.",
    default: { development: "1", production: "0" },
  }),
  devChainPort: setting(integer(0, 65_535), {
    group: "Chains",
    env: "PURSE_DEV_CHAIN_PORT",
    default: "8545",
    description: "Port of the local chain. 0 picks a free port.",
  }),
  syncUserAddresses: setting(oneOf(["off", "new", "historical"]), {
    group: "Chains",
    env: "PURSE_SYNC_USER_ADDRESSES",
    default: "off",
    description:
      "Stores transactions, transfers and balances of the users' linked addresses as objects (EthTransactions, …): from now on, or with their history.",
  }),
  logLevel: setting(oneOf(LOG_LEVELS), {
    group: "Server",
    flag: "--log-level",
    env: "PURSE_LOG_LEVEL",
    default: "info",
    description: `Minimum log level: ${LOG_LEVELS.join(", ")}.`,
  }),
  accessLog: setting(flag(), {
    group: "Server",
    env: "PURSE_ACCESS_LOG",
    default: "0",
    description: "1 logs each request at the level info: method, path, status, duration, address and ID.",
  }),
  slowRequestMs: setting(integer(0, 3_600_000), {
    group: "Server",
    env: "PURSE_SLOW_REQUEST_MS",
    default: "1000",
    description: "Requests that take at least this many ms are logged at the level warn; 0 for none.",
  }),
  logFormat: setting(oneOf(["text", "json"]), {
    group: "Server",
    env: "PURSE_LOG_FORMAT",
    description: "text or json.",
    default: { development: "text", production: "json" },
  }),
};
