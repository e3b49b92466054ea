import { isRecord } from "./receipt.ts";
import { type SignerExpectation, signerNow } from "./signer.ts";
import { askPeople } from "./waiting.ts";

/** Text, or bytes as 0x text or as they are. */
export type SignableMessage = string | { raw: `0x${string}` | Uint8Array };

/** EIP-712: what is signed, by its types. JSON text of the same is taken too. */
export interface TypedDataToSign {
  domain?: {
    name?: string;
    version?: string;
    chainId?: number | bigint | string;
    verifyingContract?: `0x${string}`;
    salt?: `0x${string}`;
  };
  /** `EIP712Domain` is added where it is missing. */
  types: Record<string, readonly { name: string; type: string }[]>;
  /** The one that no other contains, where it is not named. */
  primaryType?: string;
  message: Record<string, unknown>;
}

/** Has the wallet sign a message for people (EIP-191). Resolves with the signature. Throws `Data not signed`. */
export async function signMessage(
  message: SignableMessage,
  expected: SignerExpectation = {},
): Promise<string> {
  const { provider, account } = await signerNow(expected);
  const { toHex } = await import("viem/utils");
  const raw = typeof message === "string" ? toHex(message) : message.raw;
  const params = [typeof raw === "string" ? raw : toHex(raw), account];
  return signatureOf(await askPeople(provider, { method: "personal_sign", params }, expected));
}

/**
 * Has the wallet sign typed data (EIP-712). Resolves with the signature. Rejects where the data are meant for another
 * chain than the wallet is on: wallets show people the chain's name, and somebody may have changed it meanwhile.
 */
export async function signTypedData(
  typedData: TypedDataToSign | string,
  expected: SignerExpectation = {},
): Promise<string> {
  const data = await complete(typeof typedData === "string" ? parsed(typedData) : typedData);
  const { provider, account } = await signerNow({ chainId: data.domain?.chainId, ...expected });
  // Whole numbers beyond what JSON's numbers hold travel as decimal text.
  const text = JSON.stringify(data, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  const call = { method: "eth_signTypedData_v4", params: [account, text] };
  return signatureOf(await askPeople(provider, call, expected));
}

function signatureOf(value: unknown): string {
  if (typeof value === "string" && value !== "" && value !== "0x") return value;
  throw new Error("Data not signed");
}

function parsed(text: string): TypedDataToSign {
  const value: unknown = JSON.parse(text);
  if (isTypedData(value)) return value;
  throw new Error("Typed data need types and a message");
}

function isTypedData(value: unknown): value is TypedDataToSign {
  return isRecord(value) && isRecord(value.types) && isRecord(value.message);
}

async function complete({ domain = {}, types, primaryType = rootOf(types), message }: TypedDataToSign) {
  const { validateTypedData } = await import("viem/utils");
  const all = { ...types, EIP712Domain: types.EIP712Domain ?? domainTypes(domain) };
  // Wallets tell little of what is wrong with data; this says it.
  const { chainId, ...rest } = domain;
  const exact = { ...rest, ...(chainId !== undefined && { chainId: BigInt(chainId) }) };
  validateTypedData<Record<string, unknown>, string>({ domain: exact, types: all, primaryType, message });
  return { domain, types: all, primaryType, message };
}

/** The domain's fields in the standard's order. */
const DOMAIN_FIELDS = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
  { name: "salt", type: "bytes32" },
] as const;

function domainTypes(domain: NonNullable<TypedDataToSign["domain"]>) {
  return DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined);
}

/** The type that is no part of another. */
function rootOf(types: TypedDataToSign["types"]): string {
  const names = Object.keys(types).filter((name) => name !== "EIP712Domain");
  const parts = new Set(
    names.flatMap((name) =>
      (types[name] ?? [])
        .filter(({ type }) => type !== name)
        .map(({ type }) => type.replace(/(\[\d*\])+$/, "")),
    ),
  );
  const roots = names.filter((name) => !parts.has(name));
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw new Error("Typed data need a primaryType");
  return root;
}
