/** What tokens say of themselves, by which they are judged. */
export interface NamedToken {
  /** The contract, lower-case hex. */
  address: string;
  name: string;
  symbol: string;
  /** Whether a pool has a price for it. */
  isPriced: boolean;
}

export type SpamReason = "link" | "native" | "confusable" | "hidden";

/** Letters of other alphabets that look like Latin ones. */
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

/** A symbol as the eye reads it: without what is not seen, and without the alphabets that letters are borrowed from. */
export function normalizeSymbol(symbol: string): string {
  const plain = symbol.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}|\s/gu, "");
  return [...plain.toUpperCase()].map((letter) => CONFUSABLES[letter] ?? letter).join("");
}

/**
 * Why a token is kept apart; undefined where nothing speaks against it. Of several that look the same, those with a
 * price are taken for what they say.
 */
export function spamReason(
  token: NamedToken,
  all: readonly NamedToken[],
  nativeSymbol: string,
): SpamReason | undefined {
  const text = `${token.name} ${token.symbol}`;
  if (/https?:|www\.|\b[\w-]{2,}\.(com|org|net|io|xyz|app|finance|site|top|claim|gift|vip)\b/i.test(text)) {
    return "link";
  }
  if (/\p{Default_Ignorable_Code_Point}/u.test(text)) return "hidden";
  const normalized = normalizeSymbol(token.symbol);
  if (normalized === normalizeSymbol(nativeSymbol) && !token.isPriced) return "native";
  const isConfusable = all.some(
    (other) => other.address !== token.address && normalizeSymbol(other.symbol) === normalized,
  );
  return isConfusable && normalized !== "" && !token.isPriced ? "confusable" : undefined;
}
