import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { McpSender } from "./sender.ts";

/** A tool that models call. */
export interface McpTool {
  name: string;
  /** The tool as it is listed, with the JSON Schema of its arguments. */
  definition: Tool;
  isWrite: boolean;
  isOffered(sender: McpSender): boolean;
  /** Parses the arguments. Throws 102. */
  prepare(args: unknown): PreparedCall;
}

/** A call whose arguments are valid. */
interface PreparedCall {
  /** What the call is about, for the audit log. */
  target: string;
  run(sender: McpSender): Promise<JsonValue>;
}

interface ToolOptions<Input extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Whether it changes something: it is offered only to senders who may. */
  isWrite?: boolean;
  isDestructive?: boolean;
  /** Whether it is offered to operators only. */
  isForOperators?: boolean;
  target(args: z.output<Input>): string;
  run(args: z.output<Input>, sender: McpSender): Promise<JsonValue>;
}

export function defineTool<Input extends z.ZodObject>(options: ToolOptions<Input>): McpTool {
  const { name, title, description, input, isWrite = false, isForOperators = false } = options;
  const { properties, required }: { properties?: Record<string, JsonObject>; required?: string[] } =
    JSON.parse(JSON.stringify(z.toJSONSchema(input, { io: "input", unrepresentable: "any" })));
  return {
    name,
    isWrite,
    definition: {
      name,
      title,
      description,
      inputSchema: {
        type: "object",
        properties: properties ?? {},
        additionalProperties: false,
        ...(required && { required }),
      },
      annotations: {
        title,
        readOnlyHint: !isWrite,
        destructiveHint: options.isDestructive ?? false,
        openWorldHint: false,
      },
    },
    isOffered: (sender) => (!isWrite || sender.mayWrite) && (!isForOperators || sender.kind === "operator"),
    prepare(args) {
      const { success, data, error } = input.strict().safeParse(args);
      if (!success) throw new ProtocolError(ErrorCode.INVALID_QUERY, z.prettifyError(error));
      const parsed = input.parse(data);
      return { target: options.target(parsed), run: (sender) => options.run(parsed, sender) };
    },
  };
}
