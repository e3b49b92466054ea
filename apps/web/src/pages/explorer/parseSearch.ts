import { parseDate } from "./parseDate.ts";

/** What a search text refers to, by its format. */
export type SearchTarget =
  | { kind: "block"; block: string }
  /** 32 bytes: the hash of a transaction or block. */
  | { kind: "hash"; hash: string }
  | { kind: "address"; address: string }
  | { kind: "name"; name: string }
  | { kind: "date"; date: string }
  | { kind: "symbol"; symbol: string };

/** What surrounds a value in the text that it was copied from: blanks, invisible characters, quotes, punctuation. */
const MARKS_BEFORE = /^[\s\p{Cf}"'<([@$]+/u;
const MARKS_AFTER = /[\s\p{Cf}"'>)\],;.]+$/u;
/** Digits in groups, with the separators of any language. */
const IN_THOUSANDS = /^\d{1,3}(?:([\s,._'’])\d{3})(?:\1\d{3})*$/;

/** Returns undefined for unknown formats, such as hex of a wrong length. `language`: that of dates. */
export function parseSearch(text: string, language = "en"): SearchTarget | undefined {
  const trimmed = text.replace(MARKS_BEFORE, "").replace(MARKS_AFTER, "");
  const number = trimmed.normalize("NFKC").replace(/^(?:block)?[\s:#]*(?=\d)/i, "");
  const plain = IN_THOUSANDS.test(number) ? number.replace(/\D/g, "") : number;
  if (/^\d{1,15}$/.test(plain)) return { kind: "block", block: String(Number(plain)) };
  if (/^latest$/i.test(trimmed)) return { kind: "block", block: "latest" };
  const joined = trimmed.replace(/\s/g, "");
  if (/^(0x)?[0-9a-f]{64}$/i.test(joined)) return { kind: "hash", hash: hex(joined) };
  if (/^(0x)?[0-9a-f]{40}$/i.test(joined)) return { kind: "address", address: hex(joined) };
  const linked = /[:/]/.test(trimmed) ? parseLink(trimmed) : undefined;
  if (linked) return linked;
  if (/^0x/i.test(trimmed)) return undefined;
  const date = parseDate(trimmed, language);
  if (date) return { kind: "date", date: date.toISOString() };
  if (/^[^\s/?#]{1,200}\.[\p{L}]{2,20}$/u.test(trimmed)) return { kind: "name", name: trimmed.toLowerCase() };
  return trimmed !== "" && trimmed.length <= 32 ? { kind: "symbol", symbol: trimmed } : undefined;
}

/** What a link of another explorer leads to, or an address with its chain: `eip155:1:0x…`, `ethereum:0x…`. */
function parseLink(text: string): SearchTarget | undefined {
  const [, hexDigits] = /(?:^|[:/=])(?:0x)?([0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-z])/i.exec(text) ?? [];
  if (hexDigits?.length === 64) return { kind: "hash", hash: hex(hexDigits) };
  if (hexDigits !== undefined) return { kind: "address", address: hex(hexDigits) };
  const [, block] = /\bblocks?(?:\/countdown)?[/=](\d{1,15})(?!\d)/.exec(text) ?? [];
  if (block !== undefined) return { kind: "block", block: String(Number(block)) };
  const [, name] = /[/=]([^\s/?#=&]{1,200}\.eth)(?![^/?#&])/i.exec(text) ?? [];
  return name === undefined ? undefined : { kind: "name", name: name.toLowerCase() };
}

function hex(text: string): string {
  return `0x${text.toLowerCase().replace(/^0x/, "")}`;
}
