import type { ACL, Attributes, ParseObject, SaveOptions } from "@purse/client";
import { useCallback, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import type { CallError } from "./errors.ts";
import type { ObjectOf } from "./objectTypes.ts";
import { useStore } from "./store.ts";
import { Upload } from "./upload.ts";
import { useMoralisContext } from "./useMoralis.ts";

type FieldsOf<T> = T extends ParseObject<infer A> ? Partial<A> & { ACL?: ACL } : never;

/** Saving objects, and the one that was saved last. */
export interface NewObject<T extends ParseObject<object>> {
  /** Answers the object, or undefined where it failed. */
  save(data?: FieldsOf<T>, options?: SaveOptions & Callbacks<T>): Promise<T | undefined>;
  /** The one that was saved last. */
  object: T | null;
  isSaving: boolean;
  error: CallError | null;
}

/** Saves new objects of a class: each `save` makes another. */
export function useNewMoralisObject<E extends object = Attributes>(className: string): NewObject<ObjectOf<E>>;
export function useNewMoralisObject(className: string): NewObject<ParseObject> {
  const { Moralis } = useMoralisContext();
  const [call] = useState(() => new AsyncCall<ParseObject, null>(null));
  const { data: object, isFetching: isSaving, error } = useStore(call.store);
  const save = useCallback(
    (data: Record<string, unknown> = {}, options: SaveOptions & Callbacks<ParseObject> = {}) => {
      const [callbacks, rest] = splitCallbacks<ParseObject, SaveOptions>(options);
      return call.run(() => new Moralis.Object(className).save(data, rest), callbacks);
    },
    [Moralis, call, className],
  );
  return { save, object, isSaving, error };
}

/** Uploads files: each `saveFile` makes another. */
export function useMoralisFile() {
  const { progress: _, abort: __, upload: saveFile, file: moralisFile, ...state } = useUpload();
  return { saveFile, moralisFile, ...state };
}

/** Uploads a file, with its progress and the way to stop it. */
export function useUpload() {
  const { Moralis } = useMoralisContext();
  const [upload] = useState(() => new Upload(Moralis));
  const state = useStore(upload.store);
  return { upload: upload.start, abort: upload.abort, ...state };
}
