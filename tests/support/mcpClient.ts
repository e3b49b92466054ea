import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonValue } from "@purse/protocol";
import { STUDIO_PASSWORD, type StudioClient } from "./studio.ts";

export interface McpAnswer {
  isError: boolean;
  text: string;
  /** The result; null for an error. */
  result: JsonValue;
}

export interface McpConnection {
  client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<McpAnswer>;
  toolNames(): Promise<string[]>;
}

/** Connects the client of the official SDK with a token. */
export async function connectMcp(purse: { url: string }, token?: string): Promise<McpConnection> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${purse.url}/mcp`), {
    requestInit: { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return {
    client,
    async call(name, args = {}) {
      const { isError, content } = await client.callTool({ name, arguments: args });
      const [first] = Array.isArray(content) ? content : [];
      const text = String(first?.text);
      return { isError: isError === true, text, result: isError === true ? null : JSON.parse(text) };
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

/** Creates an access token of a signed-in operator. */
export async function createAccessToken(operator: StudioClient, name = "assistant"): Promise<string> {
  const { status, text, body } = await operator.request("POST", "/access-tokens", {
    password: STUDIO_PASSWORD,
    name,
  });
  if (status !== 201) throw new Error(`Creating a token answered ${status}: ${text}`);
  return String(body.token);
}
