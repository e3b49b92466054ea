import { isRecord } from "@purse/protocol";
import { getSigner, type SignerExpectation } from "./signer.ts";
import { requestUserApproval } from "./timeouts.ts";

/** Text, or bytes as hex or Uint8Array. */
export type SignableMessage = string | { raw: `0x${string}` | Uint8Array };

/** Typed data (EIP-712). A JSON string is accepted too. */
export interface TypedDataToSign {
  domain?: {
    name?: string;
    version?: string;
    chainId?: number | bigint | string;
    verifyingContract?: `0x${string}`;
    salt?: `0x${string}`;
  };
  /** `EIP712Domain` is added if it is missing. */
  types: Record<string, readonly { name: string; type: string }[]>;
  /** Defaults to the type that no other type contains. */
  primaryType?: string;
  message: Record<string, unknown>;
}

/** Signs a personal message (EIP-191). Resolves with the signature. Throws `Data not signed`. */
export async function signMessage(
  message: SignableMessage,
  expected: SignerExpectation = {},
): Promise<string> {
  const { provider, account } = await getSigner(expected);
  const { toHex } = await import("viem/utils");
  const raw = typeof message === "string" ? toHex(message) : message.raw;
  const params = [typeof raw === "string" ? raw : toHex(raw), account];
  return signatureOf(await requestUserApproval(provider, { method: "personal_sign", params }, expected));
}

/**
 * Signs typed data (EIP-712). Resolves with the signature. Rejects if the data is for another
 * chain than the wallet's current one.
 */
export async function signTypedData(
  typedData: TypedDataToSign | string,
  expected: SignerExpectation = {},
): Promise<string> {
  const data = await completeTypedData(typeof typedData === "string" ? parseTypedData(typedData) : typedData);
  const { provider, account } = await getSigner({ chainId: data.domain?.chainId, ...expected });
  // Bigints are sent as decimal strings.
  const text = JSON.stringify(data, (_, value) => (typeof value === "bigint" ? value.toString() : value));
  const call = { method: "eth_signTypedData_v4", params: [account, text] };
  return signatureOf(await requestUserApproval(provider, call, expected));
}

function signatureOf(value: unknown): string {
  if (typeof value === "string" && value !== "" && value !== "0x") return value;
  throw new Error("Data not signed");
}

function parseTypedData(text: string): TypedDataToSign {
  const value: unknown = JSON.parse(text);
  if (isTypedData(value)) return value;
  throw new Error("Typed data need types and a message");
}

function isTypedData(value: unknown): value is TypedDataToSign {
  return isRecord(value) && isRecord(value.types) && isRecord(value.message);
}

async function completeTypedData({
  domain = {},
  types,
  primaryType = findPrimaryType(types),
  message,
}: TypedDataToSign) {
  const { validateTypedData } = await import("viem/utils");
  const all = { ...types, EIP712Domain: types.EIP712Domain ?? domainTypes(domain) };
  // Wallets report invalid data poorly, so it is validated here.
  const { chainId, ...rest } = domain;
  const exactDomain = { ...rest, ...(chainId !== undefined && { chainId: BigInt(chainId) }) };
  validateTypedData<Record<string, unknown>, string>({
    domain: exactDomain,
    types: all,
    primaryType,
    message,
  });
  return { domain, types: all, primaryType, message };
}

/** The domain's fields in the order of the standard. */
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

/** The type that no other type contains. */
function findPrimaryType(types: TypedDataToSign["types"]): string {
  const names = Object.keys(types).filter((name) => name !== "EIP712Domain");
  const nestedTypes = new Set(
    names.flatMap((name) =>
      (types[name] ?? [])
        .filter(({ type }) => type !== name)
        .map(({ type }) => type.replace(/(\[\d*\])+$/, "")),
    ),
  );
  const roots = names.filter((name) => !nestedTypes.has(name));
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw new Error("Typed data need a primaryType");
  return root;
}
