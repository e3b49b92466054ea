import { addressOf, type Holding } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/** What makes people members of a role: their addresses together hold at least `min` of a token. */
export interface Gate {
  /** EIP-155. */
  chainId: number;
  holding: Holding;
  /** In the token's smallest unit. */
  min: bigint;
}

const KEYS: ReadonlySet<string> = new Set(["chainId", "token", "standard", "tokenId", "min"]);
const STANDARDS: ReadonlyMap<string, Holding["standard"]> = new Map([
  ["ERC20", "ERC20"],
  ["ERC721", "ERC721"],
  ["ERC1155", "ERC1155"],
]);
const UINT256 = 2n ** 256n;

/**
 * Reads the gate of a role: { chainId, token, standard: "ERC20" | "ERC721" | "ERC1155", tokenId?, min? }; min is 1 where
 * it is not given, tokenId is needed for ERC1155. Throws 142.
 */
export function parseGate(value: JsonValue, chainIdOf: (selector: JsonValue) => number): Gate {
  if (!isJsonObject(value)) throw refused("it must be an object");
  const unknown = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw refused(`${unknown.slice(0, 64)} is not known`);
  const name = typeof value.standard === "string" ? value.standard.toUpperCase().replace("-", "") : "";
  const standard = STANDARDS.get(name);
  if (!standard) throw refused("standard must be ERC20, ERC721 or ERC1155");
  const { chainId = null } = value;
  if (chainId === null) throw refused("chainId is missing");
  const holding: Holding = { token: tokenOf(value), standard };
  const tokenId = wholeNumber(value.tokenId, "tokenId");
  if (tokenId !== undefined && standard === "ERC20") throw refused("tokens of ERC20 have no tokenId");
  if (tokenId === undefined && standard === "ERC1155") throw refused("tokenId is needed for ERC1155");
  if (tokenId !== undefined) holding.tokenId = tokenId.toString();
  const min = wholeNumber(value.min, "min") ?? 1n;
  if (min < 1n) throw refused("min must be 1 or more");
  return { chainId: chainIdOf(chainId), holding, min };
}

function tokenOf({ token }: JsonObject): string {
  try {
    return addressOf(token);
  } catch {
    throw refused("token must be the address of a contract");
  }
}

function wholeNumber(value: JsonValue | undefined, name: string): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text === "string" && /^\d{1,78}$/.test(text) && BigInt(text) < UINT256) return BigInt(text);
  throw refused(`${name} must be a whole number, as decimal text where it is large`);
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `The gate of a role cannot be read: ${message}`);
}
