/** Identifies a transaction to follow; JSON, so that a page can continue after a reload. */
export interface TransactionReference {
  hash: string;
  /** Hex; null if unknown, then any chain is accepted. */
  chainId: string | null;
  /** `from` and `nonce` are needed to detect replacements. */
  from?: string | null;
  nonce?: number | null;
  /** The latest block when it was sent: the search for a replacement starts there. */
  block?: number | null;
  /** Used to distinguish a repricing from another transaction. `value` is decimal. */
  call?: { to: string | null; value: string; data: string } | null;
}
