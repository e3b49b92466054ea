import { isJsonObject, type JsonObject, ProtocolError, parseQuery } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { ClassSchema } from "../schema/classSchema.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";

/** A function or trigger that another server carries out. */
export type Hook =
  | { functionName: string; url: string }
  | { className: string; triggerName: string; url: string };

export interface HookStoreParts {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  onError(error: unknown, during: string): void;
}

/** As Parse numbers everything about hooks. */
export const HOOK_ERROR = 143;
/** What processes tell each other when hooks have changed. */
const ANNOUNCEMENT = "hooks";
/** Each function and each trigger of a class has one hook: its claim's owner is the row. */
export const HOOK_CLAIM = "_Hooks";
const MOST = 1_000;

/** `beforeSave.Note`, or a function's name in front of which no trigger's can stand. */
export function nameOf(hook: Hook): string {
  return "functionName" in hook ? `function ${hook.functionName}` : `${hook.triggerName}.${hook.className}`;
}

/** The hooks of all processes that share the database. */
export class HookStore {
  readonly #parts: HookStoreParts;
  readonly #hooks = new Map<string, Hook>();
  readonly #forget: () => void;

  private constructor(parts: HookStoreParts) {
    this.#parts = parts;
    this.#forget = parts.store.onAnnounced((message) => {
      if (message !== undefined && message !== ANNOUNCEMENT) return;
      this.#read().catch((error: unknown) =>
        parts.onError(error, "reading hooks that another process changed"),
      );
    });
  }

  static async load(parts: HookStoreParts): Promise<HookStore> {
    const hooks = new HookStore(parts);
    await hooks.#read();
    return hooks;
  }

  all(): Hook[] {
    return [...this.#hooks.values()];
  }

  get(name: string): Hook | undefined {
    return this.#hooks.get(name);
  }

  /** Throws 143 where there is such a hook. */
  async create(hook: Hook, taken: string): Promise<void> {
    const id = newObjectId();
    const at = new Date(this.#parts.clock()).toISOString();
    const object = { objectId: id, createdAt: at, updatedAt: at, ...hook };
    try {
      await this.#write([
        { kind: "claim", scope: HOOK_CLAIM, value: nameOf(hook), owner: id },
        { kind: "create", schema: this.#schema(), id, at, object },
      ]);
    } catch (error) {
      if (error instanceof ClaimTaken) throw new ProtocolError(HOOK_ERROR, taken);
      throw error;
    }
  }

  /** Throws 143 where there is no such hook. */
  async update(hook: Hook, missing: string): Promise<void> {
    const id = await this.#parts.store.ownerOf(HOOK_CLAIM, nameOf(hook));
    if (id === undefined) throw new ProtocolError(HOOK_ERROR, missing);
    const at = new Date(this.#parts.clock()).toISOString();
    const operations = { url: { op: "Set", value: hook.url } } as const;
    await this.#write([{ kind: "update", schema: this.#schema(), id, at, operations, principals: null }]);
  }

  async remove(name: string): Promise<void> {
    const id = await this.#parts.store.ownerOf(HOOK_CLAIM, name);
    if (id === undefined) return;
    await this.#write([
      { kind: "release", scope: HOOK_CLAIM, value: name, owner: id },
      { kind: "delete", schema: this.#schema(), id, principals: null },
    ]);
  }

  stop(): void {
    this.#forget();
  }

  async #write(writes: Write[]): Promise<void> {
    await this.#parts.store.write(writes);
    await this.#read();
    await this.#parts.store.announce(ANNOUNCEMENT);
  }

  async #read(): Promise<void> {
    const { where } = parseQuery("_Hooks", {});
    const query = { schema: this.#schema(), where, order: [], limit: MOST, skip: 0, principals: null };
    const texts = await this.#parts.store.find(query);
    this.#hooks.clear();
    for (const text of texts) {
      const hook = hookOf(JSON.parse(text));
      if (hook) this.#hooks.set(nameOf(hook), hook);
    }
  }

  #schema(): ClassSchema {
    return this.#parts.schemaOf("_Hooks");
  }
}

/** Reads what is said to be a hook; undefined where it is none. */
export function hookOf(value: unknown): Hook | undefined {
  if (!isJsonObject(value)) return undefined;
  const { functionName, className, triggerName, url } = value;
  if (!isText(url)) return undefined;
  if (isText(functionName)) return { functionName, url };
  return isText(className) && isText(triggerName) ? { className, triggerName, url } : undefined;
}

function isText(value: JsonObject[string] | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= 2_000;
}
