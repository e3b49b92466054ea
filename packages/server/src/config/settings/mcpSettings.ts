import { setting } from "@purse/kernel";
import { integer, oneOf, settingGroup } from "../settingTypes.ts";

/** The MCP endpoint for AI tools. */
export const mcpSettings = settingGroup("AI tools (MCP)", {
  mcp: setting(oneOf(["off", "read", "write"]), {
    default: { development: "read", production: "off" },
    description:
      "The MCP endpoint at /mcp, with the permissions of its token: off, read, or write (also create, update and delete objects).",
  }),
  mcpLimit: setting(integer(1, 1_000_000), {
    default: "120",
    description: "Requests to the MCP endpoint per minute and token.",
  }),
});
