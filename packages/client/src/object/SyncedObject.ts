import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { pathOf } from "../pathOf.ts";
import type { SaveRequest } from "./AnyObject.ts";
import type { Attributes } from "./fieldTypes.ts";
import { ObjectFields } from "./ObjectFields.ts";

/** Synchronizes an object with the server: builds save requests and applies responses. */
export abstract class SyncedObject<A extends object> extends ObjectFields<A> {
  _commit(fields: Attributes): void {
    this._state.commitValues(fields);
  }

  /** Called after the object was saved or fetched: subclasses update their copies. */
  async _afterSync(): Promise<void> {}

  async _afterDestroy(): Promise<void> {}

  _path(): string {
    const { className, id } = this;
    if (!id && className === "_User") return "users";
    return pathOf("classes", className, ...(id ? [id] : []));
  }

  _saveParams(): SaveRequest {
    const body = this._state.saveBody();
    return { method: this.id ? "PUT" : "POST", path: this._path(), body };
  }

  /** Status 201 means that the object was created; any other status that it existed. */
  _finishSave(response: JsonValue, status: number): void {
    const json = isJsonObject(response) ? response : {};
    const state = this._state;
    state.finishSave(json, this);
    if (typeof json.objectId === "string") this.id = json.objectId;
    // Another instance shares this id, as after signing in again: the response applies to it too.
    if (this._state !== state) this._state.commit(json);
    if (status !== 201) this._state.existed = true;
  }

  /** Applies the server's data, and takes ownership of it; with `isComplete` it replaces what was known. */
  _finishFetch(json: JsonObject, isComplete = false): void {
    if (typeof json.objectId === "string" && !this.id) this.id = json.objectId;
    if (isComplete) {
      const preserved = this._preserved();
      this._state.clear();
      this._state.commitValues(preserved);
    }
    this._state.commit(json);
    if (this.id) this._state.existed = true;
  }

  /** Fields that are kept when the server's data replaces what was known. */
  _preserved(): Attributes {
    return {};
  }

  /** Removes one field from the server's data. */
  _forget(key: string): void {
    this._commit({ [key]: undefined });
  }
}
