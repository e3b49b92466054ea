/** Encodings of files, which a user can choose from if another one than the detected is right. */
export const ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "shift_jis",
  "gb18030",
  "euc-kr",
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes that decide whether a file without a byte order mark is UTF-16. */
const SAMPLE_BYTES = 1_000;

/** Decodes a file; the encoding is detected unless it is given. */
export function decodeText(bytes: Uint8Array, given?: Encoding): { text: string; encoding: Encoding } {
  const encoding = given ?? markedEncoding(bytes) ?? unmarkedEncoding(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function markedEncoding([first, second, third]: Uint8Array): Encoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** UTF-16 by the zeros of its Latin letters, UTF-8 if the bytes are valid, otherwise the encoding of old Windows programs. */
function unmarkedEncoding(bytes: Uint8Array): Encoding {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isMostlyZero = (count: number, other: number) => other === 0 && count > sample.length / 4;
  if (isMostlyZero(odd, even)) return "utf-16le";
  if (isMostlyZero(even, odd)) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}
