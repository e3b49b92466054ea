import type { ParseObject, SaveOptions } from "@purse/client";
import { useCallback, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks } from "./callbacks.ts";
import { useStore } from "./store.ts";
import { Upload } from "./upload.ts";
import { useMoralisContext } from "./useMoralis.ts";

/** Saves new objects of a class: each `save` makes another. */
export function useNewMoralisObject(className: string) {
  const { Moralis } = useMoralisContext();
  const [call] = useState(() => new AsyncCall<ParseObject, null>(null));
  const { data: object, isFetching: isSaving, error } = useStore(call.store);
  const save = useCallback(
    (data: Record<string, unknown>, options: SaveOptions & Callbacks<ParseObject> = {}) => {
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
