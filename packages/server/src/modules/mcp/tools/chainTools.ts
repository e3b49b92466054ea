import { describeParameters, ENDPOINTS, type EndpointRow, type Route, runInGroup } from "@purse/chain";
import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { addressKey } from "../../../core/http/address.ts";
import type { McpSender } from "../sender.ts";
import { defineTool, type McpTool } from "../tool.ts";
import { jsonObject } from "./parameters.ts";

export interface ChainToolDependencies {
  /** The endpoints of the data API. */
  routes: readonly Route[];
  /** Counts a request to the data API toward the limits of its sender. Rejects if it exceeds them. */
  authenticateData(sender: McpSender): Promise<void>;
}

/** Number of operations that are described with their parameters. */
const MAX_DETAILED = 5;
const MAX_NAME_LENGTH = 100;

/** Tools that read data of chains. Operations that store something are not offered. */
export function chainTools({ routes, authenticateData }: ChainToolDependencies): McpTool[] {
  const rows: Readonly<Record<string, EndpointRow>> = ENDPOINTS;
  const operations = new Map(
    routes.flatMap((route) => {
      const row = rows[route.functionName];
      return row && isRead(route.functionName, row) ? [[route.functionName, { route, row }] as const] : [];
    }),
  );
  return [
    defineTool({
      name: "list_chain_operations",
      title: "List chain operations",
      description: `Lists operations that read blocks, transactions, tokens, NFTs and prices. If ${MAX_DETAILED} or fewer match, their parameters are described.`,
      input: z.object({
        search: z.string().max(MAX_NAME_LENGTH).default("").describe("Words of names and descriptions"),
      }),
      target: (args) => args.search,
      run: async ({ search }) => {
        const words = search.toLowerCase().split(/\s+/);
        const found = [...operations].filter(([name, { row }]) => {
          const text = `${name} ${row.about}`.toLowerCase();
          return words.every((word) => text.includes(word));
        });
        return {
          operations: found.map(([name, { row }]) => describe(name, row, found.length <= MAX_DETAILED)),
        };
      },
    }),
    defineTool({
      name: "run_chain_operation",
      title: "Run chain operation",
      description: "Runs an operation of list_chain_operations.",
      input: z.object({
        operation: z.string().max(MAX_NAME_LENGTH),
        parameters: jsonObject.default({}),
      }),
      target: (args) => args.operation,
      async run({ operation, parameters }, sender) {
        const found = operations.get(operation);
        if (!found)
          throw new ProtocolError(
            ErrorCode.COMMAND_UNAVAILABLE,
            `There is no operation ${operation}: list_chain_operations lists them`,
          );
        await authenticateData(sender);
        return runInGroup(addressKey(sender.request.ip), () => found.route.run(parameters));
      },
    }),
  ];
}

/** Whether an operation stores nothing. */
function isRead(name: string, { method, group }: EndpointRow): boolean {
  return method !== "PUT" && group !== "storage" && !/sync/i.test(name);
}

function describe(name: string, row: EndpointRow, isDetailed: boolean): JsonValue {
  if (!isDetailed) return { name, about: row.about };
  const parameters = describeParameters(row).map(({ name: parameter, required, description, schema }) => ({
    name: parameter,
    required,
    description,
    schema,
  }));
  return { name, about: row.about, parameters };
}
