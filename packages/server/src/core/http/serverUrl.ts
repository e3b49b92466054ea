import type { IncomingMessage } from "node:http";
import { DATA_PATH, MOUNT_PATH } from "./paths.ts";

export interface ServerUrlOptions {
  /** The configured URL, which is used regardless of the headers of requests. */
  configured: string | undefined;
  /** For clients that send no valid host. */
  fallback: string;
  mountPath: string;
  /** Whether the peer of a request is a trusted proxy. */
  isFromTrustedProxy(message: IncomingMessage): boolean;
}

/** Returns the URL of the Parse API as the client of a request knows it. */
export type ServerUrlOf = (message: IncomingMessage) => string;

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Derives the URL from the Host header, or from what a trusted proxy forwards. */
export function createServerUrlOf(options: ServerUrlOptions): ServerUrlOf {
  const { configured, fallback, mountPath, isFromTrustedProxy } = options;
  if (configured !== undefined) return () => configured;
  return (message) => {
    const { headers } = message;
    const forwarded = (name: string) => {
      const value = headers[name];
      if (typeof value !== "string" || !isFromTrustedProxy(message)) return undefined;
      return value.split(",", 1)[0]?.trim();
    };
    const host = forwarded("x-forwarded-host") ?? headers.host ?? "";
    if (!HOST.test(host)) return fallback;
    const protocol = forwarded("x-forwarded-proto") === "https" ? "https" : "http";
    return `${protocol}://${host}${mountPath}`;
  };
}

/** The URL below which all paths of a server are, from that of its Parse API. */
export function baseUrlOf(serverUrl: string): string {
  return serverUrl.endsWith(MOUNT_PATH) ? serverUrl.slice(0, -MOUNT_PATH.length) : new URL(serverUrl).origin;
}

/** The URL of the data API, derived from that of the Parse API. */
export function dataUrlOf(serverUrl: string): string {
  return baseUrlOf(serverUrl) + DATA_PATH;
}
