/** A wallet's provider (EIP-1193). */
export interface Eip1193Provider {
  request(call: { method: string; params?: readonly unknown[] | object }): Promise<unknown>;
  on?(event: string, listener: (...args: never[]) => void): unknown;
  removeListener?(event: string, listener: (...args: never[]) => void): unknown;
}

/** An error of a wallet or node: 4001 rejected by the user, 4100 unauthorized, 4902 unknown chain, −32002 busy. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  /** Additional data of a node, as the revert data of a call. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Normalizes a chain id to hex: `0x539`, `0x0539`, `1337`, 1337. Null for anything else. */
export function hexChainId(value: unknown): string | null {
  const isNumber = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  const isText = typeof value === "string" && /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value);
  if (!isNumber && !isText) return null;
  const id = BigInt(value);
  return id < 0n ? null : `0x${id.toString(16)}`;
}

/** The same; throws for anything else. */
export function requireChainId(value: unknown): string {
  const hex = hexChainId(value);
  if (hex === null) throw new Error(`"${value}" is not a chain id`);
  return hex;
}

/** The first of a wallet's accounts, in lowercase. */
export function firstAccount(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === "string" && first !== "" ? first.toLowerCase() : null;
}

export function isProvider(value: unknown): value is Eip1193Provider {
  return (
    typeof value === "object" && value !== null && "request" in value && typeof value.request === "function"
  );
}

const DISCONNECTED_FROM_CHAIN = 1013;

/** Whether a disconnect is temporary, as MetaMask emits it when it changes chains: the connection continues. */
export function isTemporaryDisconnect(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("code" in error && error.code === DISCONNECTED_FROM_CHAIN) return true;
  return "message" in error && error.message === "MetaMask: Disconnected from chain. Attempting to connect.";
}
