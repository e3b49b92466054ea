import type { JsonObject, JsonValue, WirePointer } from "@purse/protocol";

/** The unsaved changes of an object; see ObjectState. */
interface Changes {
  serverValue(key: string): unknown;
  nestedValues(): readonly unknown[];
  dropOperations(keys?: readonly string[]): void;
  beginSave(): void;
  failSave(): void;
  queue: Promise<unknown> | undefined;
}

/** The request of a save. */
export interface SaveRequest {
  method: "POST" | "PUT";
  path: string;
  body: JsonObject;
}

/** An object of any class, as the modules below ParseObject see it. */
export interface AnyObject {
  readonly className: string;
  id: string | undefined;
  readonly attributes: object;
  readonly _state: Changes;
  save(): Promise<unknown>;
  dirty(): boolean;
  isDataAvailable(): boolean;
  toPointer(): WirePointer;
  _path(): string;
  _saveParams(): SaveRequest;
  _finishSave(response: JsonValue, status: number): void;
  _finishFetch(json: JsonObject, isComplete?: boolean): void;
  _forget(key: string): void;
  _afterSync(): Promise<void>;
  _afterDestroy(): Promise<void>;
}
