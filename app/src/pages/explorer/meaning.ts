/** What somebody looks for, by its look. */
export type Meaning =
  | { kind: "block"; block: string }
  /** 32 bytes: a transaction, or a block. */
  | { kind: "hash"; hash: string }
  | { kind: "address"; address: string }
  | { kind: "name"; name: string }
  | { kind: "date"; date: string }
  | { kind: "symbol"; symbol: string };

/** Undefined where it can be nothing of these; a hex text of a wrong length is none. */
export function meaningOf(text: string): Meaning | undefined {
  const words = text.trim();
  const plain = words.replace(/^#|[\s,_']/g, "");
  if (/^\d{1,15}$/.test(plain)) return { kind: "block", block: String(Number(plain)) };
  if (/^latest$/i.test(words)) return { kind: "block", block: "latest" };
  if (/^(0x)?[0-9a-f]{64}$/i.test(words)) return { kind: "hash", hash: hex(words) };
  if (/^(0x)?[0-9a-f]{40}$/i.test(words)) return { kind: "address", address: hex(words) };
  if (/^0x/i.test(words)) return undefined;
  if (/^\d{4}-\d{2}-\d{2}([T ][\d:.]+Z?)?$/.test(words) && !Number.isNaN(Date.parse(words)))
    return { kind: "date", date: new Date(words).toISOString() };
  if (/^[^\s/?#]{1,200}\.[\p{L}]{2,20}$/u.test(words)) return { kind: "name", name: words.toLowerCase() };
  return words !== "" && words.length <= 32 ? { kind: "symbol", symbol: words } : undefined;
}

function hex(text: string): string {
  return `0x${text.toLowerCase().replace(/^0x/, "")}`;
}
