const MAX_NAME_BYTES = 255;

/** Names of small letters and digits are normal as they are, so that the tables of normalization need not be loaded. */
const PLAIN_NAME = /^[a-z0-9]+(?:\.[a-z0-9]+)*$/;

/** Normalizes a name (ENSIP-15), and throws for invalid ones. */
type Normalize = (name: string) => string;

export function isPlainEnsName(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** The normal form of an ENS name; undefined for invalid names: mixed scripts, invisible characters, … */
export function normalEnsName(name: string, normalize: Normalize): string | undefined {
  try {
    const normal = isPlainEnsName(name) ? name : normalize(name);
    const isValid = normal.split(".").every((label) => label !== "" && !/^\[[0-9a-f]{64}\]$/.test(label));
    return isValid && utf8Length(normal) <= MAX_NAME_BYTES ? normal : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The primary name of an address (ENSIP-3). Anyone can record any text for their own address: it is shown only if it is in
 * its normal form, since others imitate names of other people, and if the name leads back to the address.
 */
export async function primaryEnsName(
  address: string,
  recorded: string | null | undefined,
  normalize: Normalize,
  addressOf: (name: string) => Promise<string | null | undefined>,
): Promise<string | undefined> {
  if (!recorded || normalEnsName(recorded, normalize) !== recorded) return undefined;
  const owner = await addressOf(recorded);
  return owner?.toLowerCase() === address.toLowerCase() ? recorded : undefined;
}

/** Throws for half of a surrogate pair. */
function utf8Length(text: string): number {
  return encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, "x").length;
}
