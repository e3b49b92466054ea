import type { ClientLimits } from "./liveClient.ts";
import type { SocketLimits } from "./socketGuard.ts";

export interface LiveQueryLimits extends ClientLimits, SocketLimits {
  maxSockets: number;
  maxSocketsPerAddress: number;
  maxSubscriptionsPerAddress: number;
  /** Characters of the conditions that the sockets of one address may subscribe to. */
  maxQueryLengthPerAddress: number;
  /** Like `messageBurst` and `messagesPerSecond`, for all sockets of one address together. */
  addressMessageBurst: number;
  addressMessagesPerSecond: number;
  maxMessageBytes: number;
  /** How often sockets are pinged and sessions revalidated, in ms. */
  heartbeatMs: number;
  /** Maximum backlog of changes of one class before its clients are disconnected and have to resume. */
  maxBacklog: number;
}

export const DEFAULT_LIVE_QUERY_LIMITS: LiveQueryLimits = {
  maxSubscriptions: 500,
  maxBufferedBytes: 4 * 1024 * 1024,
  messageBurst: 1_500,
  messagesPerSecond: 100,
  connectTimeoutMs: 10_000,
  maxSockets: 20_000,
  maxSocketsPerAddress: 2_000,
  maxSubscriptionsPerAddress: 20_000,
  maxQueryLengthPerAddress: 16 * 1024 * 1024,
  addressMessageBurst: 30_000,
  addressMessagesPerSecond: 2_000,
  maxMessageBytes: 256 * 1024,
  heartbeatMs: 30_000,
  maxBacklog: 20_000,
};
