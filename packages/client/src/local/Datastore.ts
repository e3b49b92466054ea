import { isJsonObject, type JsonObject, type JsonValue, parseList } from "@purse/protocol";
import { connection } from "../connection.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { objects } from "../object/registry.ts";
import { Query } from "../query/Query.ts";
import { inBrowser, storageKeys } from "../storage.ts";
import {
  isObjectKey,
  keptForms,
  keyFinder,
  keyOf,
  keyOfObject,
  referencesIn,
  restoredObject,
  restoreForm,
  wholeForm,
} from "./keeping.ts";
import type { LocalDatastoreController, LocalObject, LocalStore } from "./LocalStore.ts";
import { answerOffline } from "./offlineQuery.ts";
import { DEFAULT_PIN } from "./pins.ts";

const PIN_PREFIX = "parsePin_";

type AnyObject = ParseObject<object>;

/** Writes to the connection's storage, one item per key. */
const inStorage: LocalDatastoreController = {
  async fromPinWithName(key) {
    return listOf(key, await connection().storage.area.getItem(key));
  },
  pinWithName: (key, value) => connection().storage.area.setItem(key, JSON.stringify(value)),
  unPinWithName: (key) => connection().storage.area.removeItem(key),
  async getAllContents() {
    const { storage } = connection();
    const keys = (await storageKeys(storage)).filter((key) => isObjectKey(key) || isPinKey(key));
    const texts = await Promise.all(keys.map((key) => storage.area.getItem(key)));
    return Object.fromEntries(keys.map((key, index) => [key, listOf(key, texts[index])]));
  },
};

function listOf(key: string, text: string | null | undefined): JsonValue[] {
  if (!text) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Reported below, like any other value that is not a list.
  }
  console.error(`Moralis: the record ${key} is damaged and skipped.`);
  return [];
}

interface Contents {
  forms: Map<string, JsonObject>;
  /** The keys of the pinned objects, by the pin's key. */
  pins: Map<string, string[]>;
}

/** The local datastore: every object and every pin has a storage key of its own. */
export class Datastore implements LocalStore {
  #last: Promise<unknown> = Promise.resolve();

  /** Serializes read-modify-write tasks, so that no concurrent change is lost. */
  #alone<T>(task: () => Promise<T>): Promise<T> {
    // Tabs of one application share their storage.
    const locks = inBrowser() ? navigator.locks : undefined;
    const run = async (): Promise<T> => {
      await objects().loadValues();
      return locks ? locks.request("Parse_LDS", task) : task();
    };
    const done = this.#last.then(run, run);
    this.#last = done.catch(() => undefined);
    return done;
  }

  get #controller(): LocalDatastoreController {
    return connection().localController ?? inStorage;
  }

  pin(name: string, list: readonly LocalObject[]): Promise<void> {
    return this.#alone(() => this.#pinAt(pinKey(name), known(list)));
  }

  async #pinAt(pin: string, list: readonly AnyObject[]): Promise<void> {
    const written = new Map<string, JsonValue[]>();
    for (const object of list) {
      for (const [key, form] of keptForms(object)) written.set(key, [form]);
    }
    const before = await this.#controller.fromPinWithName(pin);
    const keys = [...new Set([...before.filter(isText), ...written.keys()])];
    // The pin is written last, so that it never refers to a missing object.
    await this.#write(new Map([...written, [pin, keys]]));
  }

  /** Writes all values, or none if the storage is full. */
  async #write(values: ReadonlyMap<string, JsonValue[]>): Promise<void> {
    const before = new Map<string, JsonValue[]>();
    try {
      for (const [key, value] of values) {
        before.set(key, await this.#controller.fromPinWithName(key));
        await this.#controller.pinWithName(key, value);
      }
    } catch (error) {
      for (const [key, value] of before) {
        if (value.length > 0) await this.#controller.pinWithName(key, value);
        else await this.#controller.unPinWithName(key);
      }
      throw error;
    }
  }

  unpin(name: string, list: readonly LocalObject[]): Promise<void> {
    return this.#alone(async () => {
      const contents = await this.#contents();
      const pin = pinKey(name);
      const kept = contents.pins.get(pin) ?? [];
      const leaving = reachable(contents.forms, known(list).map(keyOfObject));
      const staying = reachable(
        contents.forms,
        kept.filter((key) => !leaving.has(key)),
      );
      await this.#setPin(
        contents,
        pin,
        kept.filter((key) => staying.has(key)),
      );
      await this.#drop(contents, leaving);
    });
  }

  unpinAll(name: string): Promise<void> {
    return this.#alone(async () => {
      const contents = await this.#contents();
      const keys = contents.pins.get(pinKey(name)) ?? [];
      await this.#setPin(contents, pinKey(name), []);
      await this.#drop(contents, keys);
    });
  }

  async #setPin(contents: Contents, pin: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.#controller.pinWithName(pin, keys);
    else await this.#controller.unPinWithName(pin);
    contents.pins.set(pin, keys);
  }

  /** Deletes those of the objects that are in no pin. */
  async #drop(contents: Contents, keys: Iterable<string>): Promise<void> {
    const held = new Set([...contents.pins.values()].flat());
    for (const key of keys) if (!held.has(key)) await this.#controller.unPinWithName(key);
  }

  async isPinned(object: LocalObject): Promise<boolean> {
    const [asked] = known([object]);
    return asked !== undefined && this.#isKept(keyOfObject(asked));
  }

  async restore(object: LocalObject): Promise<void> {
    const [target] = known([object]);
    const { forms } = await this.#contents();
    const key = target && keyOfObject(target);
    if (!key || !forms.has(key)) throw new Error("Cannot fetch an unsaved ParseObject");
    restoreForm(wholeForm(key, forms, keyFinder(forms)), target);
  }

  async find(
    className: string,
    params: JsonObject,
    pin: string | undefined,
  ): Promise<{ results: LocalObject[]; count: number }> {
    const { forms, pins } = await this.#contents();
    const keys = pin === undefined ? [...forms.keys()] : (pins.get(pinKey(pin)) ?? []);
    const finder = keyFinder(forms);
    const candidates = keys.filter((key) => forms.has(key)).map((key) => wholeForm(key, forms, finder));
    const { results, count } = answerOffline(candidates, className, params);
    return { results: results.map((form) => restoredObject(withFields(form, params))), count };
  }

  synced(list: readonly LocalObject[]): Promise<void> {
    return this.#alone(async () => {
      let pins: Contents["pins"] | undefined;
      for (const object of known(list)) {
        const key = keyOfObject(object);
        const localKey = object._hasLocalId() ? keyOf(object.className, object._localId) : key;
        const wasLocal = localKey !== key && (await this.#isKept(localKey));
        if (!wasLocal && !(await this.#isKept(key))) continue;
        pins ??= (await this.#contents()).pins;
        await this.#follow(object, key, wasLocal ? localKey : undefined, pins);
      }
    });
  }

  async #isKept(key: string): Promise<boolean> {
    return (await this.#controller.fromPinWithName(key)).length > 0;
  }

  /** Rewrites a pinned object; moves it from its local id to its id once it has one. */
  async #follow(
    object: AnyObject,
    key: string,
    localKey: string | undefined,
    pins: Contents["pins"],
  ): Promise<void> {
    const holding = [...pins].filter(([, keys]) => keys.includes(localKey ?? key));
    for (const [pin, keys] of holding) {
      if (localKey !== undefined) {
        const renamed = [...new Set(keys.map((other) => (other === localKey ? key : other)))];
        await this.#controller.pinWithName(pin, renamed);
        pins.set(pin, renamed);
      }
      await this.#pinAt(pin, [object]);
    }
    if (holding.length === 0) await this.#controller.pinWithName(key, [keptForms(object).get(key) ?? {}]);
    if (localKey !== undefined) await this.#controller.unPinWithName(localKey);
  }

  destroyed(list: readonly LocalObject[]): Promise<void> {
    return this.#alone(async () => {
      const gone = new Set(known(list).map(keyOfObject));
      const contents = await this.#contents();
      for (const [pin, keys] of contents.pins) {
        const left = keys.filter((key) => !gone.has(key));
        if (left.length < keys.length) await this.#setPin(contents, pin, left);
      }
      for (const key of gone) if (contents.forms.has(key)) await this.#controller.unPinWithName(key);
    });
  }

  async dump(): Promise<Record<string, JsonValue>> {
    return this.#controller.getAllContents();
  }

  async refresh(): Promise<void> {
    const byClass = new Map<string, AnyObject[]>();
    for (const form of (await this.#contents()).forms.values()) {
      if (typeof form.objectId !== "string") continue;
      const object = restoredObject(form);
      byClass.set(object.className, [...(byClass.get(object.className) ?? []), object]);
    }
    await Promise.all([...byClass].map(([className, list]) => this.#refreshClass(className, list)));
  }

  async #refreshClass(className: string, list: readonly AnyObject[]): Promise<void> {
    const ids = list.map(({ id }) => id);
    const found = await new Query(className).containedIn("objectId", ids).limit(ids.length).find();
    const byId = new Map(found.map((object) => [object.id, object]));
    const changed = list.filter(({ id }) => byId.has(id));
    for (const object of changed) object._commit({ ...byId.get(object.id)?.attributes });
    await this.synced(changed);
  }

  async #contents(): Promise<Contents> {
    const forms = new Map<string, JsonObject>();
    const pins = new Map<string, string[]>();
    for (const [key, value] of Object.entries(await this.dump())) {
      if (!Array.isArray(value)) continue;
      if (isPinKey(key)) pins.set(key, value.filter(isText));
      else if (isObjectKey(key) && isJsonObject(value[0])) forms.set(key, value[0]);
    }
    return { forms, pins };
  }
}

/** The keys, with those of all objects that are reachable from them. */
function reachable(forms: ReadonlyMap<string, JsonObject>, keys: readonly string[]): Set<string> {
  const finder = keyFinder(forms);
  const found = new Set<string>();
  const waiting = [...keys];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    for (const reference of referencesIn(forms.get(key))) {
      const next = finder(reference);
      if (next !== undefined) waiting.push(next);
    }
  }
  return found;
}

/** Reduces a record to the fields that the query selects. */
function withFields(form: JsonObject, { keys, excludeKeys }: JsonObject): JsonObject {
  const always = ["__type", "className", "objectId", "_localId", "createdAt", "updatedAt", "ACL"];
  const excluded = excludeKeys === undefined ? [] : parseList(excludeKeys, "excludeKeys");
  const asked = keys === undefined ? undefined : parseList(keys, "keys").map((key) => key.split(".")[0]);
  const { _changes, ...rest } = form;
  if (!asked && excluded.length === 0) return form;
  const wanted = (key: string): boolean =>
    always.includes(key) || ((asked?.includes(key) ?? true) && !excluded.includes(key));
  const fields: JsonObject = Object.fromEntries(Object.entries(rest).filter(([key]) => wanted(key)));
  if (!isJsonObject(_changes)) return fields;
  const changes = Object.entries(_changes).filter(([key]) => wanted(key.split(".")[0] ?? key));
  return { ...fields, _changes: Object.fromEntries(changes) };
}

function known(list: readonly LocalObject[]): AnyObject[] {
  return list.filter((object): object is AnyObject => object instanceof ParseObject);
}

function pinKey(name: string): string {
  return name === DEFAULT_PIN ? DEFAULT_PIN : `${PIN_PREFIX}${name}`;
}

function isPinKey(key: string): boolean {
  return key === DEFAULT_PIN || key.startsWith(PIN_PREFIX);
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}
