import { setting } from "@purse/kernel";
import { integer, oneOf } from "../../config/settingTypes.ts";

const common = { group: "AI tools (MCP)", package: "@purse/mcp" };

/** The MCP endpoint for AI tools. */
export const mcpSettings = {
  mcp: setting(oneOf(["off", "read", "write"]), {
    ...common,
    off: "off",
    default: { development: "read", production: "off" },
    description:
      "The MCP endpoint at /mcp, with the permissions of its token: off, read, or write (also create, update and delete objects).",
  }),
  mcpLimit: setting(integer(1, 1_000_000), {
    ...common,
    default: "120",
    description: "Requests to the MCP endpoint per minute and token.",
  }),
};
