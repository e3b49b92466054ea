import { isJsonObject, type JsonObject, type JsonValue, parseList, tryParseJson } from "@purse/protocol";
import { connection } from "../connection.ts";
import { ParseObject } from "../object/ParseObject.ts";
import { objects } from "../object/registry.ts";
import { Query } from "../query/Query.ts";
import { inBrowser, storageKeys } from "../storage.ts";
import type { LocalDatastoreController, LocalObject, LocalStore } from "./LocalStore.ts";
import { runOfflineQuery } from "./offlineQuery.ts";
import { DEFAULT_PIN } from "./pins.ts";
import {
  expandRecord,
  isObjectKey,
  keyFinder,
  keyOf,
  keyOfObject,
  referencesIn,
  restoreObject,
  restoreRecord,
  serializeGraph,
} from "./serialization.ts";

const PIN_PREFIX = "parsePin_";

type AnyObject = ParseObject<object>;

/** Writes to the connection's storage, one item per key. */
const storageController: LocalDatastoreController = {
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
  const value = tryParseJson(text);
  if (Array.isArray(value)) return value;
  console.error(`Moralis: the record ${key} is damaged and skipped.`);
  return [];
}

interface Contents {
  records: Map<string, JsonObject>;
  /** The keys of the pinned objects, by the pin's key. */
  pins: Map<string, string[]>;
}

/** The local datastore: every object and every pin has a storage key of its own. */
export class Datastore implements LocalStore {
  #last: Promise<unknown> = Promise.resolve();

  /** Serializes read-modify-write tasks, so that no concurrent change is lost. */
  #withLock<T>(task: () => Promise<T>): Promise<T> {
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
    return connection().localController ?? storageController;
  }

  pin(name: string, list: readonly LocalObject[]): Promise<void> {
    return this.#withLock(() => this.#pinAt(pinKey(name), parseObjects(list)));
  }

  async #pinAt(pin: string, list: readonly AnyObject[]): Promise<void> {
    const written = new Map<string, JsonValue[]>();
    for (const object of list) {
      for (const [key, record] of serializeGraph(object)) written.set(key, [record]);
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
    return this.#withLock(async () => {
      const contents = await this.#contents();
      const pin = pinKey(name);
      const pinned = contents.pins.get(pin) ?? [];
      const removed = reachable(contents.records, parseObjects(list).map(keyOfObject));
      const remaining = reachable(
        contents.records,
        pinned.filter((key) => !removed.has(key)),
      );
      await this.#setPin(
        contents,
        pin,
        pinned.filter((key) => remaining.has(key)),
      );
      await this.#removeUnpinned(contents, removed);
    });
  }

  unpinAll(name: string): Promise<void> {
    return this.#withLock(async () => {
      const contents = await this.#contents();
      const keys = contents.pins.get(pinKey(name)) ?? [];
      await this.#setPin(contents, pinKey(name), []);
      await this.#removeUnpinned(contents, keys);
    });
  }

  async #setPin(contents: Contents, pin: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.#controller.pinWithName(pin, keys);
    else await this.#controller.unPinWithName(pin);
    contents.pins.set(pin, keys);
  }

  /** Deletes those of the objects that are in no pin. */
  async #removeUnpinned(contents: Contents, keys: Iterable<string>): Promise<void> {
    const pinnedKeys = new Set([...contents.pins.values()].flat());
    for (const key of keys) if (!pinnedKeys.has(key)) await this.#controller.unPinWithName(key);
  }

  async isPinned(object: LocalObject): Promise<boolean> {
    const [selected] = parseObjects([object]);
    return selected !== undefined && this.#isStored(keyOfObject(selected));
  }

  async restore(object: LocalObject): Promise<void> {
    const [target] = parseObjects([object]);
    const { records } = await this.#contents();
    const key = target && keyOfObject(target);
    if (!key || !records.has(key)) throw new Error("Cannot fetch an unsaved ParseObject");
    restoreRecord(expandRecord(key, records, keyFinder(records)), target);
  }

  async find(
    className: string,
    params: JsonObject,
    pin: string | undefined,
  ): Promise<{ results: LocalObject[]; count: number }> {
    const { records, pins } = await this.#contents();
    const keys = pin === undefined ? [...records.keys()] : (pins.get(pinKey(pin)) ?? []);
    const finder = keyFinder(records);
    const candidates = keys
      .filter((key) => records.has(key))
      .map((key) => expandRecord(key, records, finder));
    const { results, count } = runOfflineQuery(candidates, className, params);
    return { results: results.map((record) => restoreObject(selectFields(record, params))), count };
  }

  synced(list: readonly LocalObject[]): Promise<void> {
    return this.#withLock(async () => {
      let pins: Contents["pins"] | undefined;
      for (const object of parseObjects(list)) {
        const key = keyOfObject(object);
        const localKey = object._hasLocalId() ? keyOf(object.className, object._localId) : key;
        const wasLocal = localKey !== key && (await this.#isStored(localKey));
        if (!wasLocal && !(await this.#isStored(key))) continue;
        pins ??= (await this.#contents()).pins;
        await this.#updatePinned(object, key, wasLocal ? localKey : undefined, pins);
      }
    });
  }

  async #isStored(key: string): Promise<boolean> {
    return (await this.#controller.fromPinWithName(key)).length > 0;
  }

  /** Rewrites a pinned object; moves it from its local id to its id once it has one. */
  async #updatePinned(
    object: AnyObject,
    key: string,
    localKey: string | undefined,
    pins: Contents["pins"],
  ): Promise<void> {
    const containingPins = [...pins].filter(([, keys]) => keys.includes(localKey ?? key));
    for (const [pin, keys] of containingPins) {
      if (localKey !== undefined) {
        const renamed = [...new Set(keys.map((other) => (other === localKey ? key : other)))];
        await this.#controller.pinWithName(pin, renamed);
        pins.set(pin, renamed);
      }
      await this.#pinAt(pin, [object]);
    }
    if (containingPins.length === 0)
      await this.#controller.pinWithName(key, [serializeGraph(object).get(key) ?? {}]);
    if (localKey !== undefined) await this.#controller.unPinWithName(localKey);
  }

  destroyed(list: readonly LocalObject[]): Promise<void> {
    return this.#withLock(async () => {
      const destroyedKeys = new Set(parseObjects(list).map(keyOfObject));
      const contents = await this.#contents();
      for (const [pin, keys] of contents.pins) {
        const remaining = keys.filter((key) => !destroyedKeys.has(key));
        if (remaining.length < keys.length) await this.#setPin(contents, pin, remaining);
      }
      for (const key of destroyedKeys)
        if (contents.records.has(key)) await this.#controller.unPinWithName(key);
    });
  }

  async dump(): Promise<Record<string, JsonValue>> {
    return this.#controller.getAllContents();
  }

  async refresh(): Promise<void> {
    const byClass = new Map<string, AnyObject[]>();
    for (const record of (await this.#contents()).records.values()) {
      if (typeof record.objectId !== "string") continue;
      const object = restoreObject(record);
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
    const records = new Map<string, JsonObject>();
    const pins = new Map<string, string[]>();
    for (const [key, value] of Object.entries(await this.dump())) {
      if (!Array.isArray(value)) continue;
      if (isPinKey(key)) pins.set(key, value.filter(isText));
      else if (isObjectKey(key) && isJsonObject(value[0])) records.set(key, value[0]);
    }
    return { records, pins };
  }
}

/** The keys, with those of all objects that are reachable from them. */
function reachable(records: ReadonlyMap<string, JsonObject>, keys: readonly string[]): Set<string> {
  const finder = keyFinder(records);
  const found = new Set<string>();
  const queue = [...keys];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    for (const reference of referencesIn(records.get(key))) {
      const next = finder(reference);
      if (next !== undefined) queue.push(next);
    }
  }
  return found;
}

/** Reduces a record to the fields that the query selects. */
function selectFields(record: JsonObject, { keys, excludeKeys }: JsonObject): JsonObject {
  const always = ["__type", "className", "objectId", "_localId", "createdAt", "updatedAt", "ACL"];
  const excluded = excludeKeys === undefined ? [] : parseList(excludeKeys, "excludeKeys");
  const selected = keys === undefined ? undefined : parseList(keys, "keys").map((key) => key.split(".")[0]);
  const { _changes, ...rest } = record;
  if (!selected && excluded.length === 0) return record;
  const isSelected = (key: string): boolean =>
    always.includes(key) || ((selected?.includes(key) ?? true) && !excluded.includes(key));
  const fields: JsonObject = Object.fromEntries(Object.entries(rest).filter(([key]) => isSelected(key)));
  if (!isJsonObject(_changes)) return fields;
  const changes = Object.entries(_changes).filter(([key]) => isSelected(key.split(".")[0] ?? key));
  return { ...fields, _changes: Object.fromEntries(changes) };
}

function parseObjects(list: readonly LocalObject[]): AnyObject[] {
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
