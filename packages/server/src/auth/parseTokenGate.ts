import { parseAddress, type TokenReference } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/** Token gate of a role: users whose linked wallets together hold at least `min` of a token are members. */
export interface TokenGate {
  /** Chain ID (EIP-155). */
  chainId: number;
  holding: TokenReference;
  /** Minimum balance in the token's smallest unit. */
  min: bigint;
}

const KEYS: ReadonlySet<string> = new Set(["chainId", "token", "standard", "tokenId", "min"]);
const STANDARDS: ReadonlyMap<string, TokenReference["standard"]> = new Map([
  ["ERC20", "ERC20"],
  ["ERC721", "ERC721"],
  ["ERC1155", "ERC1155"],
]);
const UINT256 = 2n ** 256n;

/**
 * Parses the token gate of a role: { chainId, token, standard: "ERC20" | "ERC721" | "ERC1155", tokenId?, min? }. The
 * default of min is 1; tokenId is required for ERC1155. Throws 142.
 */
export function parseTokenGate(value: JsonValue, chainIdOf: (selector: JsonValue) => number): TokenGate {
  if (!isJsonObject(value)) throw invalidGate("it must be an object");
  const unknown = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw invalidGate(`unknown key ${unknown.slice(0, 64)}`);
  const name = typeof value.standard === "string" ? value.standard.toUpperCase().replace("-", "") : "";
  const standard = STANDARDS.get(name);
  if (!standard) throw invalidGate("standard must be ERC20, ERC721 or ERC1155");
  const { chainId = null } = value;
  if (chainId === null) throw invalidGate("chainId is missing");
  const holding: TokenReference = { token: tokenOf(value), standard };
  const tokenId = integerOf(value.tokenId, "tokenId");
  if (tokenId !== undefined && standard === "ERC20") throw invalidGate("ERC20 tokens have no tokenId");
  if (tokenId === undefined && standard === "ERC1155") throw invalidGate("tokenId is required for ERC1155");
  if (tokenId !== undefined) holding.tokenId = tokenId.toString();
  const min = integerOf(value.min, "min") ?? 1n;
  if (min < 1n) throw invalidGate("min must be 1 or more");
  return { chainId: chainIdOf(chainId), holding, min };
}

function tokenOf({ token }: JsonObject): string {
  try {
    return parseAddress(token);
  } catch {
    throw invalidGate("token must be the address of a contract");
  }
}

function integerOf(value: JsonValue | undefined, name: string): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && /^\d{1,78}$/.test(text) && BigInt(text) < UINT256) return BigInt(text);
  throw invalidGate(`${name} must be a whole number, as a decimal string if it is large`);
}

function invalidGate(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Invalid token gate: ${message}`);
}
