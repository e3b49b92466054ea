/** Token metadata that the spam check evaluates. */
export interface NamedToken {
  /** Contract address, lower-case hex. */
  address: string;
  name: string;
  symbol: string;
  /** Whether a pool has a price for the token. */
  isPriced: boolean;
  /** Whether the server reports it: by its name, or by a list of the operator. */
  isPossibleSpam: boolean;
}

export type SpamReason = "reported" | "native" | "confusable" | "hidden";

/** Confusable letters of other alphabets, mapped to Latin ones. */
const CONFUSABLES: Readonly<Record<string, string>> = {
  А: "A",
  В: "B",
  Е: "E",
  К: "K",
  М: "M",
  Н: "H",
  О: "O",
  Р: "P",
  С: "C",
  Т: "T",
  У: "Y",
  Х: "X",
  Ѕ: "S",
  І: "I",
  Ј: "J",
  Α: "A",
  Β: "B",
  Ε: "E",
  Ζ: "Z",
  Η: "H",
  Ι: "I",
  Κ: "K",
  Μ: "M",
  Ν: "N",
  Ο: "O",
  Ρ: "P",
  Τ: "T",
  Υ: "Y",
  Χ: "X",
};

/** Normalizes a symbol as it looks: without invisible characters, with confusable letters mapped to Latin ones. */
export function normalizeSymbol(symbol: string): string {
  const plain = symbol.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}|\s/gu, "");
  return [...plain.toUpperCase()].map((letter) => CONFUSABLES[letter] ?? letter).join("");
}

/**
 * Returns why a token is considered spam, or undefined if it is not. Among tokens with the same look, those with a
 * price are trusted.
 */
export function spamReason(
  token: NamedToken,
  all: readonly NamedToken[],
  nativeSymbol: string,
): SpamReason | undefined {
  if (/\p{Default_Ignorable_Code_Point}/u.test(`${token.name} ${token.symbol}`)) return "hidden";
  if (token.isPossibleSpam) return "reported";
  const normalized = normalizeSymbol(token.symbol);
  if (normalized === normalizeSymbol(nativeSymbol) && !token.isPriced) return "native";
  const isConfusable = all.some(
    (other) => other.address !== token.address && normalizeSymbol(other.symbol) === normalized,
  );
  return isConfusable && normalized !== "" && !token.isPriced ? "confusable" : undefined;
}
