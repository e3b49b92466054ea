import type { IncomingMessage } from "node:http";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { FormFile } from "../core/functionCall.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { assertApplicationHeader, isKnownSender, type SenderChecks } from "../core/http/bodyParser.ts";
import { isMultipart, parseMultipart } from "../core/http/multipart.ts";
import { FUNCTION_PATH } from "./functionByGet.ts";

/** The parameters of a function that is called with a form: text, and files by parameter. */
interface FunctionForm {
  fields: JsonObject;
  files: Readonly<Record<string, FormFile>>;
}

interface FunctionFormOptions extends SenderChecks {
  appId: string;
  /** Maximum size of a form, in bytes: by a sender whom the headers identify, and by others. */
  maxUploadSize: number;
  maxAnonymousBodyBytes: number;
  memory: BodyMemory;
}

/** Reads the form with which a function is called, and passes it to `handle`. */
export type WithFunctionForm = <T>(
  message: IncomingMessage,
  handle: (form: FunctionForm) => Promise<T>,
) => Promise<T>;

/** Whether a request calls a function with a form. */
export function callsWithForm(message: IncomingMessage, path: string): boolean {
  const { method, headers } = message;
  return method === "POST" && FUNCTION_PATH.test(path) && isMultipart(headers["content-type"] ?? "");
}

/** Creates the reader of the forms with which functions are called (`multipart/form-data`). */
export function createFunctionForms(options: FunctionFormOptions): WithFunctionForm {
  return async function withFunctionForm(message, handle) {
    assertApplicationHeader(message, options.appId);
    const maxBytes = (await isKnownSender(message, options))
      ? options.maxUploadSize
      : options.maxAnonymousBodyBytes;
    const contentType = message.headers["content-type"] ?? "";
    return await withBody(message, maxBytes, options.memory, (body) => parseForm(body, contentType), handle);
  };
}

/** The last of several parts of a name counts, as in Parse Server. */
async function parseForm(body: Buffer, contentType: string): Promise<FunctionForm> {
  const parts = new Map((await parseMultipart(body, contentType)).map((part) => [part.name, part]));
  if (parts.has("__proto__")) {
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
  }
  const fields: JsonObject = {};
  const files: Record<string, FormFile> = {};
  for (const [name, { filename, contentType, content }] of parts) {
    if (filename === undefined) fields[name] = content.toString("utf8");
    // Copied, because a thread would otherwise receive the whole body with each file.
    else files[name] = { filename, contentType: contentType || OCTET_STREAM, data: new Uint8Array(content) };
  }
  return { fields, files };
}

const OCTET_STREAM = "application/octet-stream";
