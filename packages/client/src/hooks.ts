import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { pathOf } from "./pathOf.ts";
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
  getFunctions: () => requestHooks("GET", "functions"),
  getFunction: (name: string) => requestHooks("GET", hookPath({ functionName: name })),
  createFunction: (functionName: string, url: string) => Hooks.create({ functionName, url }),
  updateFunction: (functionName: string, url: string) => Hooks.update({ functionName, url }),
  removeFunction: (functionName: string) => Hooks.remove({ functionName }),

  getTriggers: () => requestHooks("GET", "triggers"),
  getTrigger: (className: string, triggerName: string) =>
    requestHooks("GET", hookPath({ className, triggerName })),
  createTrigger: (className: string, triggerName: string, url: string) =>
    Hooks.create({ className, triggerName, url }),
  updateTrigger: (className: string, triggerName: string, url: string) =>
    Hooks.update({ className, triggerName, url }),
  removeTrigger: (className: string, triggerName: string) => Hooks.remove({ className, triggerName }),

  /** Rejects with 143 for an incomplete hook. */
  async create(hook: Hook): Promise<JsonValue> {
    requireUrl(hook);
    return requestHooks("POST", hookPath(hook).split("/", 1).join(), { ...hook });
  },

  async update(hook: Hook): Promise<JsonValue> {
    const { url } = requireUrl(hook);
    return requestHooks("PUT", hookPath(hook), { url });
  },

  async remove(hook: Hook): Promise<JsonValue> {
    return requestHooks("PUT", hookPath(hook), { __op: "Delete" });
  },
};

async function requestHooks(method: Method, subpath: string, payload: JsonObject = {}): Promise<JsonValue> {
  const { body } = await request(method, `hooks/${subpath}`, payload, { useMasterKey: true });
  return body;
}

function hookPath({ functionName, className, triggerName }: Hook): string {
  if (functionName) return pathOf("functions", functionName);
  if (className && triggerName) {
    return pathOf("triggers", className, triggerName);
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
