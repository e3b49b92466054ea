import { connection } from "../connection.ts";
import { request } from "../transport.ts";
import type { AnyObject } from "./AnyObject.ts";
import type { SaveOptions } from "./callOptions.ts";
import { inTurn } from "./inTurn.ts";
import { unsavedWithin } from "./unsaved.ts";

/** Saves one object, after its unsaved children. */
export async function saveObject(object: AnyObject, options: SaveOptions): Promise<void> {
  const within = options.cascadeSave === false ? [] : unsavedWithin([object]);
  if (within.length > 0) await (await import("./batches.ts")).saveMany(within, options);
  await inTurn([object], async () => {
    const { method, path, body } = object._saveParams();
    object._state.beginSave();
    try {
      const answer = await request(method, path, body, options);
      object._finishSave(answer.body, answer.status);
    } catch (error) {
      object._state.failSave();
      throw error;
    }
    await object._afterSync();
    await connection().local?.synced([object]);
  });
}
