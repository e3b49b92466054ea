/** The face of a wallet towards pages (EIP-1193). */
export interface Eip1193Provider {
  request(call: { method: string; params?: readonly unknown[] | object }): Promise<unknown>;
  on?(event: string, listener: (...args: never[]) => void): unknown;
  removeListener?(event: string, listener: (...args: never[]) => void): unknown;
}

/** An error as wallets give it: 4001 declined, 4100 not allowed, 4902 unknown chain, −32002 busy. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A chain id as hex text, whatever a wallet says: `0x539`, `1337`, 1337. */
export function hexChainId(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "bigint") return `0x${value.toString(16)}`;
  if (typeof value !== "string" || value === "") return null;
  return value.startsWith("0x") ? value.toLowerCase() : `0x${Number.parseInt(value, 10).toString(16)}`;
}

/** The first of a wallet's accounts, in lower case. */
export function firstAccount(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === "string" && first !== "" ? first.toLowerCase() : null;
}
