import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "./authContext.ts";

/** A file of a form with which a function is called. */
export interface FormFile {
  filename: string;
  contentType: string;
  data: Uint8Array;
}

/** A call of a cloud function, by a client or by an operator. */
export interface FunctionCall extends RequestContext {
  params: JsonObject;
  /** Files by parameter, if the function is called with a form. */
  formFiles?: Readonly<Record<string, FormFile>>;
  /** The URL of the Parse API that the caller used. */
  serverUrl: string;
}
