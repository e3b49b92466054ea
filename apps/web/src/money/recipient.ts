export type RecipientProblem = "empty" | "shape" | "checksum" | "zero";

/** Validates a recipient address. `checksumOf` returns an address with its EIP-55 checksum. */
export function recipientProblem(
  text: string,
  checksumOf: (address: string) => string,
): RecipientProblem | undefined {
  const address = text.trim();
  if (address === "") return "empty";
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return "shape";
  if (/^0x0{40}$/.test(address)) return "zero";
  const digits = address.slice(2);
  const isMixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return isMixedCase && checksumOf(address) !== address ? "checksum" : undefined;
}

/**
 * Finds a known address with the same beginning and end as `address`. Attackers create such look-alikes so that
 * users copy them from their history by mistake (address poisoning).
 */
export function findLookalike(address: string, known: readonly string[]): string | undefined {
  const wanted = address.toLowerCase();
  const lower = known.map((each) => each.toLowerCase());
  if (lower.includes(wanted)) return undefined;
  return lower.find((each) => each.slice(2, 6) === wanted.slice(2, 6) && each.slice(-4) === wanted.slice(-4));
}
