import { connection } from "../connection.ts";
import { request } from "../transport.ts";
import type { AnyObject } from "./AnyObject.ts";
import type { SaveOptions } from "./callOptions.ts";
import { findUnsaved } from "./findUnsaved.ts";
import { enqueue } from "./taskQueue.ts";

/** Saves one object, after its unsaved children. */
export async function saveObject(object: AnyObject, options: SaveOptions): Promise<void> {
  const unsavedChildren = options.cascadeSave === false ? [] : findUnsaved([object]);
  if (unsavedChildren.length > 0) await (await import("./batches.ts")).saveMany(unsavedChildren, options);
  await enqueue([object], async () => {
    const { method, path, body } = object._saveParams();
    object._state.beginSave();
    try {
      const response = await request(method, path, body, options);
      object._finishSave(response.body, response.status);
    } catch (error) {
      object._state.failSave();
      throw error;
    }
    await object._afterSync();
    await connection().local?.synced([object]);
  });
}
