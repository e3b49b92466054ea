import { sendRequest } from "@purse/outbound";
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";

/** Deadline of a request to the issuer, in ms, and the largest response that is read, in bytes. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
/** How long the discovery document is cached, and how soon discovery is retried after a failure; in ms. */
const DISCOVERY_MS = 60 * 60_000;
const RETRY_MS = 2_000;

/**
 * The keys of an OpenID Connect issuer, found by discovery (OpenID Connect Discovery 1.0). The operator configures the
 * issuer, which may have a private address. The issuer names the URL of its keys, which has to be on the issuer's own
 * host or at a public address, and https if the issuer's URL is. Redirects are not followed. Rejects with Error if the
 * issuer does not respond.
 */
export function createIssuerKeys(issuer: string, clock: () => number): () => Promise<JWTVerifyGetKey> {
  let current: { uri: string; keys: JWTVerifyGetKey } | undefined;
  let inFlight: Promise<JWTVerifyGetKey> | undefined;
  let nextDiscoveryAt = 0;
  let failure = new Error("discovery has not run yet");

  return async () => {
    if (inFlight) return inFlight;
    if (clock() < nextDiscoveryAt) {
      if (current) return current.keys;
      throw failure;
    }
    inFlight = discover().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };

  async function discover(): Promise<JWTVerifyGetKey> {
    try {
      const uri = await jwksUriOf(issuer);
      // Keep the key set, and the keys that it has cached, while its URL stays the same.
      if (current?.uri !== uri) current = { uri, keys: remoteKeys(uri, issuer) };
      nextDiscoveryAt = clock() + DISCOVERY_MS;
      return current.keys;
    } catch (error) {
      nextDiscoveryAt = clock() + RETRY_MS;
      failure = error instanceof Error ? error : new Error(String(error));
      if (current) return current.keys;
      throw failure;
    }
  }
}

async function jwksUriOf(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const { status, body } = await fetchText(url, true);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  const document: unknown = JSON.parse(body);
  const { issuer: named, jwks_uri: uri } = Object(document);
  if (named !== issuer || typeof uri !== "string" || !URL.canParse(uri)) {
    throw new Error(`${url} is not the configuration of ${issuer}`);
  }
  if (new URL(issuer).protocol === "https:" && new URL(uri).protocol !== "https:") {
    throw new Error(`${issuer} has its keys at an address that is not https`);
  }
  return uri;
}

function remoteKeys(uri: string, issuer: string): JWTVerifyGetKey {
  const isOwnHost = new URL(uri).hostname === new URL(issuer).hostname;
  return createRemoteJWKSet(new URL(uri), {
    timeoutDuration: TIMEOUT_MS,
    async [customFetch](url: string) {
      const { status, body } = await fetchText(url, isOwnHost);
      return new Response(status === 200 ? body : null, { status: status === 200 ? 200 : 502 });
    },
  });
}

function fetchText(url: string, allowPrivate: boolean): Promise<{ status: number; body: string }> {
  const headers = { accept: "application/json" };
  return sendRequest({
    url,
    headers,
    body: undefined,
    deadlineMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    allowPrivate,
  });
}
