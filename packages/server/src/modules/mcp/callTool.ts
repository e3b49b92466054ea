import { setTimeout as delay } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { jsonLength } from "../../core/limits/answerText.ts";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import { withoutSecrets } from "./removeSecrets.ts";
import type { McpSender } from "./sender.ts";
import type { McpTool } from "./tool.ts";

/** An entry of the audit log. */
interface AuditedCall {
  username: string;
  operatorId?: string;
  action: string;
  target: string;
  address: string;
  requestId: string;
}

/** The audit log of the studio. */
interface McpAudit {
  /** Adds the entry of a call that changes something before it begins. */
  begin(entry: AuditedCall): Promise<string>;
  complete(
    id: string,
    outcome: "done" | "refused",
    details: { after?: JsonValue },
    error?: string,
  ): Promise<void>;
  record(
    entry: AuditedCall & { outcome: "done" | "refused"; after?: JsonValue; error?: string },
  ): Promise<void>;
}

export interface CallToolDependencies {
  tools: readonly McpTool[];
  audit: McpAudit;
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

/** Maximum length of a result in characters, which models could not read in one piece anyway. */
const MAX_RESULT_LENGTH = 200_000;
/** Maximum length of a result with the fields that hold credentials, which are removed. */
const MAX_WITH_SECRETS_LENGTH = 1_000_000;
/** How long a call may take, in ms. */
const DEADLINE_MS = 30_000;

/**
 * Calls a tool and writes the audit log. Errors are results with `isError`, so that the model can correct its arguments.
 * Unexpected errors are reported and hidden.
 */
export async function callTool(
  { tools, audit, report }: CallToolDependencies,
  sender: McpSender,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const { ip: address, requestId } = sender.request;
  if (isTurnUsedUp()) await ownTurn();
  const after: JsonObject = JSON.parse(JSON.stringify(args));
  const entry: AuditedCall = {
    username: sender.name,
    ...(sender.operatorId !== undefined && { operatorId: sender.operatorId }),
    action: `MCP ${name.slice(0, 100)}`,
    target: "",
    address,
    requestId,
  };
  let begun: string | undefined;
  try {
    const tool = tools.find((each) => each.name === name);
    if (!tool)
      throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `There is no tool ${name.slice(0, 100)}`);
    if (isTurnUsedUp()) await ownTurn();
    const { target, run } = tool.prepare(args);
    entry.target = target;
    if (tool.isWrite) begun = await audit.begin(entry);
    if (isTurnUsedUp()) await ownTurn();
    const text = toText(await withinDeadline(run(sender)));
    await complete("done");
    return { content: [{ type: "text", text }] };
  } catch (error) {
    const message = messageOf(error);
    if (message === undefined) report(error, requestId);
    const text = message ?? "Internal server error";
    await complete("refused", text);
    return { content: [{ type: "text", text }], isError: true };
  }

  async function complete(outcome: "done" | "refused", error?: string): Promise<void> {
    if (isTurnUsedUp()) await ownTurn();
    if (begun === undefined) await audit.record({ ...entry, outcome, after, ...(error && { error }) });
    else await audit.complete(begun, outcome, { after }, error);
  }
}

/** The message of an error for clients; undefined if it is a bug. */
function messageOf(error: unknown): string | undefined {
  return error instanceof ProtocolError ? `Error ${error.code}: ${error.message}` : undefined;
}

function toText(result: JsonValue): string {
  if (jsonLength(result, MAX_WITH_SECRETS_LENGTH) <= MAX_WITH_SECRETS_LENGTH) {
    const visible = withoutSecrets(result);
    const text = jsonLength(visible, MAX_RESULT_LENGTH) <= MAX_RESULT_LENGTH ? JSON.stringify(visible) : "";
    if (text !== "" && text.length <= MAX_RESULT_LENGTH) return text;
  }
  throw new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `The result has more than the ${MAX_RESULT_LENGTH} characters that are allowed: use a smaller limit, or select fields.`,
  );
}

/** Rejects with 124 if work takes too long. Its own deadlines end the work itself. */
async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const deadline = delay(DEADLINE_MS, undefined, { signal: controller.signal, ref: false }).then(() => {
    throw new ProtocolError(ErrorCode.TIMEOUT, `The call took longer than ${DEADLINE_MS / 1_000} s.`);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    controller.abort();
    deadline.catch(() => undefined);
  }
}
