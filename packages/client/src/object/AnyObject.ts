import type { JsonObject, JsonValue, WirePointer } from "@purse/protocol";
import type { Method } from "../transport.ts";
import type { Attributes } from "./fieldTypes.ts";
import type { Op } from "./Op.ts";

/** An object of any class, as the modules that ParseObject is built of see it. */
export interface AnyObject {
  readonly className: string;
  id: string | undefined;
  readonly attributes: object;
  save(): Promise<unknown>;
  dirty(): boolean;
  isDataAvailable(): boolean;
  toPointer(): WirePointer;
  _attributes(): Readonly<Attributes>;
  _held(): readonly unknown[];
  _path(): string;
  _setOperation(key: string, op: Op): void;
  _enqueue<T>(task: () => Promise<T>): Promise<T>;
  _saveParams(): { method: Method; path: string; body: JsonObject };
  _beginSave(): void;
  _failSave(): void;
  _finishSave(answer: JsonValue, status: number): void;
  _finishFetch(json: JsonObject, whole?: boolean): void;
  _forget(key: string): void;
  _afterSync(): Promise<void>;
  _afterDestroy(): Promise<void>;
}
