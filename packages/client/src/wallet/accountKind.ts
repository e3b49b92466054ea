import { callNode } from "./rpcProvider.ts";
import { getSigner } from "./signer.ts";
import { readFromWallet } from "./timeouts.ts";

/** What controls an address. */
export type AccountKind =
  /** A key, as far as the chain shows: addresses without code. */
  | { kind: "key" }
  /** A key, with the code of `delegate` (lowercase hex): a smart account of EIP-7702. */
  | { kind: "delegated"; delegate: string }
  /** A contract, as smart accounts of ERC-4337 are. */
  | { kind: "contract" };

/** The code of an account that has delegated to a contract. */
const DELEGATION = /^0xef0100([0-9a-f]{40})$/i;

/** Reads the kind of an address, by the connected wallet or by the node at `rpcUrl`. */
export async function accountKind(
  address: string,
  { rpcUrl, signal }: { rpcUrl?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<AccountKind> {
  const params = [address, "latest"];
  const code =
    rpcUrl === undefined
      ? await readFromWallet(
          (await getSigner({ signal })).provider,
          { method: "eth_getCode", params },
          { signal },
        )
      : await callNode(rpcUrl, "eth_getCode", params);
  return kindOfCode(String(code ?? "0x"));
}

/** The kind of an account with this code, in hex. */
export function kindOfCode(code: string): AccountKind {
  const delegate = DELEGATION.exec(code)?.[1];
  if (delegate !== undefined) return { kind: "delegated", delegate: `0x${delegate.toLowerCase()}` };
  return { kind: code.length > 2 ? "contract" : "key" };
}
