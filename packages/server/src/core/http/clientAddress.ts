import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type AddressMatcher, createAddressMatcher, normalizeAddress } from "./address.ts";

/** The address of a client for which neither the socket nor a trusted proxy gives one. */
const UNKNOWN_ADDRESS = "unknown";
/** Maximum number of proxies in X-Forwarded-For. */
const MAX_HOPS = 64;

/** Returns the address of the client that sent a request, or UNKNOWN_ADDRESS. */
export type ClientAddressOf = (message: IncomingMessage) => string;

export interface ClientAddressOptions {
  /** Addresses, ranges and named ranges of trusted proxies; `*` trusts everyone. */
  trustedProxies: readonly string[];
  /** Called once, when a peer that is not trusted sends X-Forwarded-For. */
  onUntrustedProxy?(peer: string): void;
}

/**
 * Determines the address of a request's client. Every other module gets it from here. A trusted proxy appends the
 * address of its peer to X-Forwarded-For. The list is read from right to left as long as the addresses are those of
 * trusted proxies; the first other one is the client. Everything to its left was sent by the client and is ignored,
 * like every header of an untrusted peer. `Forwarded` and `X-Real-IP` are never read: a proxy that sets one header
 * passes the others on unchanged.
 */
export function createClientAddress({
  trustedProxies,
  onUntrustedProxy,
}: ClientAddressOptions): ClientAddressOf {
  const isTrusted = createAddressMatcher(trustedProxies);
  let hasWarned = false;

  return (message) => {
    const peer = peerAddressOf(message);
    const header = message.headers["x-forwarded-for"];
    if (header === undefined) return peer;
    if (isTrusted(peer)) return firstUntrusted(String(header), peer, isTrusted);
    if (!hasWarned) {
      hasWarned = true;
      onUntrustedProxy?.(peer);
    }
    return peer;
  };
}

/** Whether the peer of a request is a trusted proxy. */
export function createIsFromTrustedProxy(
  trustedProxies: readonly string[],
): (message: IncomingMessage) => boolean {
  const isTrusted = createAddressMatcher(trustedProxies);
  return (message) => isTrusted(peerAddressOf(message));
}

/**
 * Reads the peer's address of a new connection, so that Node.js still knows it after the peer has closed the
 * connection.
 */
export function rememberPeerAddress(socket: Socket): void {
  void socket.remoteAddress;
}

/** Caches the addresses of open connections, because many requests arrive over each. */
const peerAddresses = new WeakMap<Socket, string>();

function peerAddressOf({ socket }: IncomingMessage): string {
  const known = peerAddresses.get(socket);
  if (known !== undefined) return known;
  const address = normalizeAddress(socket.remoteAddress ?? "");
  if (address !== undefined) peerAddresses.set(socket, address);
  return address ?? UNKNOWN_ADDRESS;
}

function firstUntrusted(header: string, peer: string, isTrusted: AddressMatcher): string {
  let address = peer;
  let end = header.length;
  for (let hop = 0; hop < MAX_HOPS && end >= 0; hop++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    const forwarded = header.slice(comma + 1, end).trim();
    end = comma;
    if (forwarded === "") continue;
    const next = addressWithoutPort(forwarded);
    // A trusted proxy hides its client, or sends something that is not an address.
    if (next === undefined) return UNKNOWN_ADDRESS;
    address = next;
    if (!isTrusted(address)) return address;
  }
  return address;
}

/** `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:5678`. */
function addressWithoutPort(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(text)?.[1];
  return normalizeAddress(bracketed ?? withPort ?? text);
}
