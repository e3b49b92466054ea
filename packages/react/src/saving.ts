import type { ACL, Attributes, ParseObject, SaveOptions } from "@purse/client";
import { useCallback, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import type { CallError } from "./errors.ts";
import type { ObjectOf } from "./objectTypes.ts";
import { useStore } from "./observableStore.ts";
import { Upload } from "./upload.ts";
import { useMoralisContext } from "./useMoralis.ts";

type FieldsOf<T> = T extends ParseObject<infer A> ? Partial<A> & { ACL?: ACL } : never;

/** Saves objects; `object` is the last saved one. */
export interface NewObject<T extends ParseObject<object>> {
  /** Resolves with the object, or undefined if it failed. */
  save(data?: FieldsOf<T>, options?: SaveOptions & Callbacks<T>): Promise<T | undefined>;
  /** The last saved object. */
  object: T | null;
  isSaving: boolean;
  error: CallError | null;
}

/** Saves new objects of a class: each `save` creates another. */
export function useNewMoralisObject<E extends object = Attributes>(className: string): NewObject<ObjectOf<E>>;
export function useNewMoralisObject(className: string): NewObject<ParseObject> {
  const { Moralis } = useMoralisContext();
  const [call] = useState(() => new AsyncCall<ParseObject, null>(null));
  const { isFetching: isSaving, error } = useStore(call.store);
  // Not the call's data, which an error resets.
  const [object, setObject] = useState<ParseObject | null>(null);
  const save = useCallback(
    (data: Record<string, unknown> = {}, options: SaveOptions & Callbacks<ParseObject> = {}) => {
      const [callbacks, rest] = splitCallbacks<ParseObject, SaveOptions>(options);
      return call.run(async () => {
        const saved = await new Moralis.Object(className).save(data, rest);
        setObject(saved);
        return saved;
      }, callbacks);
    },
    [Moralis, call, className],
  );
  return { save, object, isSaving, error };
}

/** Uploads files: each `saveFile` creates another. */
export function useMoralisFile() {
  const { progress: _, abort: __, upload: saveFile, file: moralisFile, ...state } = useUpload();
  return { saveFile, moralisFile, ...state };
}

/** Uploads a file, with its progress and a function to abort it. */
export function useUpload() {
  const { Moralis } = useMoralisContext();
  const [upload] = useState(() => new Upload(Moralis));
  const state = useStore(upload.store);
  return { upload: upload.start, abort: upload.abort, ...state };
}
