import { setting } from "@purse/kernel";
import { LOG_LEVELS } from "../../core/logger.ts";
import { flag, integer, oneOf, settingGroup, text } from "../settingTypes.ts";

/** Cloud code, the local chain and logs. */
export const codeSettings = {
  ...settingGroup("Cloud code and webhooks", {
    cloud: setting(text().optional(), {
      flag: "--cloud",
      description: "Cloud code file, TypeScript or JavaScript. Default: ./cloud/main.ts if it exists.",
    }),
    encodeParseObjectInCloudFunction: setting(flag(), {
      default: "1",
      description:
        "1 passes pointers in the parameters of cloud functions and jobs as Parse.Object. 0 passes plain objects ({ __type, className, objectId }), as Parse Server 7 and earlier do by default.",
    }),
  }),
  ...settingGroup("Chains", {
    devChain: setting(flag(), {
      description: "1 starts the local chain.",
      default: { development: "1", production: "0" },
    }),
    devChainPort: setting(integer(0, 65_535), {
      default: "8545",
      description: "Port of the local chain. 0 picks a free port.",
    }),
  }),
  ...settingGroup("Server", {
    logLevel: setting(oneOf(LOG_LEVELS), {
      flag: "--log-level",
      default: "info",
      description: `Minimum log level: ${LOG_LEVELS.join(", ")}.`,
    }),
    accessLog: setting(flag(), {
      default: "0",
      description: "1 logs each request at the level info: method, path, status, duration, address and ID.",
    }),
    slowRequestMs: setting(integer(0, 3_600_000), {
      default: "1000",
      description: "Requests that take at least this many ms are logged at the level warn; 0 for none.",
    }),
    logFormat: setting(oneOf(["text", "json"]), {
      description: "text or json.",
      default: { development: "text", production: "json" },
    }),
  }),
};
