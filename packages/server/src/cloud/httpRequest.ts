import { stringify } from "node:querystring";
import { isRecord, tryParseJson } from "@purse/protocol";
import { traceOfCall } from "./callDepth.ts";

/** Options of `Cloud.httpRequest`, as in Parse. */
export interface CloudHttpOptions {
  url: string;
  method?: string;
  /** Headers that are undefined are not sent. */
  headers?: Record<string, string | undefined>;
  /** Added to the query string; a list repeats its name. */
  params?: string | Record<string, string | readonly string[]>;
  /** A string, bytes, or an object, which is sent as a form unless there is another content type. */
  body?: unknown;
  /** Off by default. */
  followRedirects?: boolean;
  /** In ms; 15 s by default. */
  timeout?: number;
  /** Called with the response, beside the promise. */
  success?: ((response: CloudHttpResponse) => unknown) | undefined;
  /** Called with what the promise rejects with. */
  error?: ((failure: unknown) => unknown) | undefined;
}

export interface CloudHttpResponse {
  status: number;
  headers: Record<string, string>;
  /** Cookie values by name. */
  cookies: Record<string, string>;
  buffer: Buffer;
  text: string;
  /** The parsed body if it is JSON, otherwise undefined. */
  data: unknown;
}

const TIMEOUT_MS = 15_000;
const FORM = "application/x-www-form-urlencoded";
/** Maximum size of a response body. */
const MAX_BYTES = 20 * 1024 * 1024;

/** Sends an HTTP request. Rejects with the response if its status is 400 or more, as in Parse: redirects resolve. */
export function httpRequest({ success, error, ...options }: CloudHttpOptions): Promise<CloudHttpResponse> {
  const response = request(options);
  if (success || error) void response.then(success, error);
  return response;
}

async function request(options: CloudHttpOptions): Promise<CloudHttpResponse> {
  const url = new URL(options.url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Error("httpRequest supports http and https only");
  const params = isRecord(options.params) ? formOf(options.params) : options.params;
  for (const [name, value] of new URLSearchParams(params)) url.searchParams.append(name, value);
  const headers = new Headers();
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (value !== undefined) headers.set(name, value);
  moveCredentials(url, headers);
  const body = bodyOf(options.body, headers);
  const traceparent = traceOfCall();
  if (traceparent !== undefined && !headers.has("traceparent")) headers.set("traceparent", traceparent);
  const { timeout = TIMEOUT_MS } = options;
  const response = await fetch(url, {
    method: (options.method ?? "GET").toUpperCase(),
    headers,
    ...(body !== undefined && { body }),
    redirect: options.followRedirects ? "follow" : "manual",
    signal: AbortSignal.timeout(timeout),
  }).catch((error: unknown) => {
    throw withReason(error, url, timeout);
  });
  const buffer = await readBody(response, MAX_BYTES);
  const text = buffer.toString("utf8");
  const result: CloudHttpResponse = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    cookies: cookiesOf(response.headers.getSetCookie()),
    buffer,
    text,
    data: tryParseJson(text),
  };
  if (response.status >= 200 && response.status < 400) return result;
  throw Object.assign(new Error(`Request failed with response code ${response.status}`), result);
}

function bodyOf(body: unknown, headers: Headers): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body !== "object") return String(body);
  if (!headers.has("content-type")) headers.set("content-type", FORM);
  return headers.get("content-type")?.toLowerCase().startsWith(FORM) ? formOf(body) : JSON.stringify(body);
}

/** Says why there is no response: `fetch` has the reason of the network only as the cause of its error. */
function withReason(error: unknown, { host }: URL, timeout: number): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "TimeoutError") return new Error(`${host} did not respond within ${timeout} ms`);
  const { cause } = error;
  return cause instanceof Error ? new Error(`${host} cannot be reached: ${cause.message}`, { cause }) : error;
}

/** Encodes as Parse does: lists repeat their name, and what is neither text, number nor boolean is empty. */
function formOf(values: object): string {
  return stringify({ ...values });
}

/** Requests take credentials of the URL as a header only. */
function moveCredentials(url: URL, headers: Headers): void {
  if (url.username === "" && url.password === "") return;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  if (!headers.has("authorization"))
    headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
  url.username = "";
  url.password = "";
}

/** Reads a body. Throws Error if it is larger than `maxBytes`; the rest is not read. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function cookiesOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [pair = ""] = line.split(";", 1);
      const separator = pair.indexOf("=");
      return [pair.slice(0, separator).trim(), pair.slice(separator + 1).trim()];
    }),
  );
}
