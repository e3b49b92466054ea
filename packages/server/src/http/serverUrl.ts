import type { IncomingMessage } from "node:http";

export interface ServerUrlParts {
  /** Where it is configured, that is the address whatever clients use. */
  configured: string | undefined;
  /** For clients who do not say what they use. */
  fallback: string;
  mountPath: string;
  /** Whether a request's peer is a proxy that is believed. */
  isFromTrustedProxy(message: IncomingMessage): boolean;
}

/** The address of the protocol as a request's client knows it. */
export type ServerUrlOf = (message: IncomingMessage) => string;

const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Takes it from the Host header, or from what a trusted proxy forwards. */
export function createServerUrlOf(parts: ServerUrlParts): ServerUrlOf {
  const { configured, fallback, mountPath, isFromTrustedProxy } = parts;
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
    const scheme = forwarded("x-forwarded-proto") === "https" ? "https" : "http";
    return `${scheme}://${host}${mountPath}`;
  };
}
