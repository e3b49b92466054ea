import { setting } from "@purse/kernel";
import { integer, oneOf } from "../../config/settingTypes.ts";

const group = "AI tools (MCP)";

/** The MCP endpoint for AI tools. */
export const mcpSettings = {
  mcp: setting(oneOf(["off", "read", "write"]), {
    group,
    default: { development: "read", production: "off" },
    description:
      "The MCP endpoint at /mcp, with the permissions of its token: off, read, or write (also create, update and delete objects).",
  }),
  mcpLimit: setting(integer(1, 1_000_000), {
    group,
    default: "120",
    description: "Requests to the MCP endpoint per minute and token.",
  }),
};
