import { defineModule, type SettingInputsOf } from "@purse/kernel";
import {
  ACCOUNTS,
  CHAIN,
  DOCS_FOLDER,
  HTTP,
  PARSE_API,
  RATE_LIMITER,
  REPORT,
  RESPOND_IN_SCOPE,
  STUDIO,
} from "../../module/tokens.ts";
import { API_KEYS } from "../apiKeys/token.ts";
import { mcpSettings } from "./settings.ts";

/** The MCP endpoint for AI tools. */
export const mcp = defineModule({
  name: "mcp",
  needs: {
    http: HTTP,
    parseApi: PARSE_API,
    accounts: ACCOUNTS,
    apiKeys: API_KEYS,
    chain: CHAIN,
    studio: STUDIO,
    limiter: RATE_LIMITER,
    respondInScope: RESPOND_IN_SCOPE,
    docsFolder: DOCS_FOLDER,
    report: REPORT,
  },
  settings: mcpSettings,
  async open({ settings, facts, ...services }) {
    if (settings.mcp === "off") return {};
    const { openMcpApi } = await import("./openMcpApi.ts");
    const http = openMcpApi({
      ...services,
      isWritable: settings.mcp === "write",
      // Not in development, where it is on although few use it.
      isWarmedUp: facts.environment === "production",
      limit: settings.mcpLimit,
    });
    return { http };
  },
});

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof mcpSettings> {}
}
