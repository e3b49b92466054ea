import { integer, oneOf, setting } from "../settingTypes.ts";

/** The MCP endpoint for AI tools. */
export const mcpSettings = {
  mcp: setting(oneOf(["off", "read", "write"]), {
    group: "AI tools (MCP)",
    env: "PURSE_MCP",
    default: { development: "read", production: "off" },
    description:
      "The MCP endpoint at /mcp, with the permissions of its token: off, read, or write (also create, update and delete objects).",
  }),
  mcpLimit: setting(integer(1, 1_000_000), {
    group: "AI tools (MCP)",
    env: "PURSE_MCP_LIMIT",
    default: "120",
    description: "Requests to the MCP endpoint per minute and token.",
  }),
};
