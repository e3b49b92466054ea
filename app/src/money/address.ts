/** The groups of four hex digits in which a whole address is shown, so that people can compare it. */
export function addressGroups(address: string): { at: number; text: string }[] {
  const digits = address.replace(/^0x/i, "");
  const groups = digits.match(/.{1,4}/g) ?? [];
  return groups.map((group, i) => ({ at: i * 4, text: i === 0 ? `0x${group}` : group }));
}

/** For places with little room only, never where somebody decides by it. */
export function shortAddress(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

export type RecipientProblem = "empty" | "shape" | "checksum" | "zero";

/** What is wrong with a recipient. `checksumOf` gives an address in EIP-55 spelling. */
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
 * The known address that another could be taken for: the same at both ends, where people look, and another in
 * between. Such addresses are made on purpose, so that they are copied from a history by mistake.
 */
export function findLookalike(address: string, known: readonly string[]): string | undefined {
  const sought = address.toLowerCase();
  const lower = known.map((each) => each.toLowerCase());
  if (lower.includes(sought)) return undefined;
  return lower.find((each) => each.slice(2, 6) === sought.slice(2, 6) && each.slice(-4) === sought.slice(-4));
}
