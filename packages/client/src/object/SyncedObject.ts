import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { SaveRequest } from "./AnyObject.ts";
import type { Attributes } from "./fieldTypes.ts";
import { ObjectFields } from "./ObjectFields.ts";

/** How an object and the server come to agree: what a save sends, and what becomes of the answers. */
export abstract class SyncedObject<A extends object> extends ObjectFields<A> {
  _commit(fields: Attributes): void {
    this._state.commitValues(fields);
  }

  /** After the object and the server agree again: what subclasses keep elsewhere follows. */
  async _afterSync(): Promise<void> {}

  async _afterDestroy(): Promise<void> {}

  _path(): string {
    const { className, id } = this;
    if (!id && className === "_User") return "users";
    return `classes/${className}${id ? `/${encodeURIComponent(id)}` : ""}`;
  }

  _saveParams(): SaveRequest {
    const body = this._state.saveBody();
    return { method: this.id ? "PUT" : "POST", path: this._path(), body };
  }

  /** Status 201 means that the object was created; any other that it existed. */
  _finishSave(answer: JsonValue, status: number): void {
    const json = isJsonObject(answer) ? answer : {};
    const own = this._state;
    own.finishSave(json, this);
    if (typeof json.objectId === "string") this.id = json.objectId;
    // Another instance was known by this id already, as of who signs in again: what the server says now holds for it too.
    if (this._state !== own) this._state.commit(json);
    if (status !== 201) this._state.existed = true;
  }

  /** Takes the server's data, which is the object's from now on; with `whole`, instead of what was known. */
  _finishFetch(json: JsonObject, whole = false): void {
    if (typeof json.objectId === "string" && !this.id) this.id = json.objectId;
    if (whole) {
      const kept = this._keptOnFetch();
      this._state.clear();
      this._state.commitValues(kept);
    }
    this._state.commit(json);
    if (this.id) this._state.existed = true;
  }

  /** Fields that stay when the server's data replaces the known. */
  _keptOnFetch(): Attributes {
    return {};
  }

  /** Forgets one field, as nothing that the server tells. */
  _forget(key: string): void {
    this._commit({ [key]: undefined });
  }
}
