import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type Method, request } from "./transport.ts";

/** A function or trigger that runs on another server: `{functionName, url}` or `{className, triggerName, url}`. */
export interface Hook {
  functionName?: string;
  className?: string;
  triggerName?: string;
  url?: string;
}

/** Webhooks of the server. All calls need the master key. */
export const Hooks = {
  getFunctions: () => ask("GET", "functions"),
  getFunction: (name: string) => ask("GET", path({ functionName: name })),
  createFunction: (functionName: string, url: string) => Hooks.create({ functionName, url }),
  updateFunction: (functionName: string, url: string) => Hooks.update({ functionName, url }),
  removeFunction: (functionName: string) => Hooks.remove({ functionName }),

  getTriggers: () => ask("GET", "triggers"),
  getTrigger: (className: string, triggerName: string) => ask("GET", path({ className, triggerName })),
  createTrigger: (className: string, triggerName: string, url: string) =>
    Hooks.create({ className, triggerName, url }),
  updateTrigger: (className: string, triggerName: string, url: string) =>
    Hooks.update({ className, triggerName, url }),
  removeTrigger: (className: string, triggerName: string) => Hooks.remove({ className, triggerName }),

  /** Rejects with 143 for an incomplete hook. */
  async create(hook: Hook): Promise<JsonValue> {
    requireUrl(hook);
    return ask("POST", path(hook).split("/", 1).join(), { ...hook });
  },

  async update(hook: Hook): Promise<JsonValue> {
    const { url } = requireUrl(hook);
    return ask("PUT", path(hook), { url });
  },

  async remove(hook: Hook): Promise<JsonValue> {
    return ask("PUT", path(hook), { __op: "Delete" });
  },
};

async function ask(method: Method, below: string, payload: JsonObject = {}): Promise<JsonValue> {
  const { body } = await request(method, `hooks/${below}`, payload, { useMasterKey: true });
  return body;
}

function path({ functionName, className, triggerName }: Hook): string {
  if (functionName) return `functions/${encodeURIComponent(functionName)}`;
  if (className && triggerName) {
    return `triggers/${encodeURIComponent(className)}/${encodeURIComponent(triggerName)}`;
  }
  throw invalidHook();
}

function requireUrl(hook: Hook): { url: string } {
  if (hook.url) return { url: hook.url };
  throw invalidHook();
}

function invalidHook(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_IMAGE_DATA, "invalid hook declaration");
}
