/** A parsed email. */
export interface ParsedMail {
  text: string | undefined;
  html: string | undefined;
}

/** Parses an email of the outbox; supports the MIME subset that the server writes. Unsupported parts are undefined. */
export function parseMail(source: string): ParsedMail {
  const result: ParsedMail = { text: undefined, html: undefined };
  parsePart(source, result, 0);
  return result;
}

const MAX_DEPTH = 5;

function parsePart(part: string, result: ParsedMail, depth: number): void {
  const [, head = "", body = ""] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(part) ?? [];
  const headers = head.replace(/\r?\n[ \t]+/g, " ");
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(headers)?.[1] ?? "";
  const type = header("Content-Type") || "text/plain";
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined && depth < MAX_DEPTH) {
    const [, ...parts] = body.split(`--${boundary}`);
    for (const each of parts)
      if (!each.startsWith("--")) parsePart(each.replace(/^\r?\n/, ""), result, depth + 1);
    return;
  }
  const content = decodeBody(body, header("Content-Transfer-Encoding").toLowerCase());
  if (/^text\/plain/i.test(type)) result.text ??= content;
  if (/^text\/html/i.test(type)) result.html ??= content;
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === "quoted-printable") {
    const bytes = body
      .replaceAll(/=\r?\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return decodeUtf8(bytes);
  }
  if (encoding === "base64") return decodeUtf8(atob(body.replaceAll(/\s/g, "")));
  return body;
}

/** Decodes UTF-8 from a binary string. */
function decodeUtf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}

/** Splits text into plain text and links. */
export function splitLinks(text: string): { text: string; isLink: boolean }[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece, index) => ({ text: piece, isLink: index % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}
