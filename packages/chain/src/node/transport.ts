/** Response of a node: HTTP status (200 over WebSocket) and body. */
export interface RawResponse {
  status: number;
  text: string;
}

/** Sends JSON-RPC messages to one node. */
export interface Transport {
  /**
   * Rejects with RpcUnreachableError, and with RpcResponseTooLargeError for responses of more than `maxBytes`. `ids`
   * are the ids of the calls in the text.
   */
  send(text: string, ids: readonly number[], maxBytes: number, signal: AbortSignal): Promise<RawResponse>;
  close(): void;
}
