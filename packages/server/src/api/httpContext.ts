import type { IncomingMessage } from "node:http";
import type { Config } from "../config/loadConfig.ts";
import { type BodyMemory, createBodyMemory } from "../core/http/bodyMemory.ts";
import {
  type ClientAddressOf,
  createClientAddress,
  createIsFromTrustedProxy,
} from "../core/http/clientAddress.ts";
import { createMasterKeyVerifier, type VerifyMasterKey } from "../core/http/masterKey.ts";
import { MOUNT_PATH } from "../core/http/paths.ts";
import { createServerUrlOf, type ServerUrlOf } from "../core/http/serverUrl.ts";
import type { Logger } from "../core/logger.ts";
import { RequestTurns } from "./requestTurns.ts";

/** What all HTTP APIs know about their clients. */
export interface HttpContext {
  /** URL of the Parse API: as configured, or else derived from host and port. */
  publicUrl: string;
  verifyMasterKey: VerifyMasterKey;
  clientAddressOf: ClientAddressOf;
  isFromTrustedProxy(message: IncomingMessage): boolean;
  serverUrlOf: ServerUrlOf;
  requestTurns: RequestTurns;
  /** The memory for the bodies of all open requests. */
  bodyMemory: BodyMemory;
}

export function createHttpContext(config: Config, logger: Logger): HttpContext {
  const publicUrl =
    config.serverUrl?.replace(/\/+$/, "") ?? `http://${hostText(config.host)}:${config.port}${MOUNT_PATH}`;
  const isFromTrustedProxy = createIsFromTrustedProxy(config.trustedProxies);
  const clientAddressOf = createClientAddress({
    trustedProxies: config.trustedProxies,
    onUntrustedProxy: (peer) =>
      logger.warn(
        "X-Forwarded-For is ignored: its sender is not in PURSE_TRUSTED_PROXIES, so all clients behind it count as one",
        { peer },
      ),
  });
  return {
    publicUrl,
    verifyMasterKey: createMasterKeyVerifier(config),
    clientAddressOf,
    isFromTrustedProxy,
    serverUrlOf: createServerUrlOf({
      configured: config.serverUrl,
      fallback: publicUrl,
      mountPath: MOUNT_PATH,
      isFromTrustedProxy,
    }),
    requestTurns: new RequestTurns(clientAddressOf),
    bodyMemory: createBodyMemory(config.bodyMemoryBytes, clientAddressOf),
  };
}

/** The host of a URL: IPv6 addresses are in brackets. */
export function hostText(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
