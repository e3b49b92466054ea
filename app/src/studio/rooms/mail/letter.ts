/** A mail as people read it. */
export interface Letter {
  text: string | undefined;
  html: string | undefined;
}

/** Reads a mail as the outbox keeps it: of MIME what the server itself writes. What it does not know is undefined. */
export function letterOf(source: string): Letter {
  const found: Letter = { text: undefined, html: undefined };
  read(source, found, 0);
  return found;
}

const DEEPEST = 5;

function read(part: string, found: Letter, depth: number): void {
  const [, head = "", body = ""] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(part) ?? [];
  const headers = head.replace(/\r?\n[ \t]+/g, " ");
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(headers)?.[1] ?? "";
  const type = header("Content-Type") || "text/plain";
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined && depth < DEEPEST) {
    const [, ...parts] = body.split(`--${boundary}`);
    for (const each of parts) if (!each.startsWith("--")) read(each.replace(/^\r?\n/, ""), found, depth + 1);
    return;
  }
  const content = decoded(body, header("Content-Transfer-Encoding").toLowerCase());
  if (/^text\/plain/i.test(type)) found.text ??= content;
  if (/^text\/html/i.test(type)) found.html ??= content;
}

function decoded(body: string, encoding: string): string {
  if (encoding === "quoted-printable") {
    const bytes = body
      .replaceAll(/=\r?\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return utf8(bytes);
  }
  if (encoding === "base64") return utf8(atob(body.replaceAll(/\s/g, "")));
  return body;
}

/** Of characters that stand for bytes each. */
function utf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}

/** A text in pieces: what leads elsewhere by itself. */
export function piecesOf(text: string): { text: string; link: boolean }[] {
  return text
    .split(/(https?:\/\/[^\s<>"]+)/)
    .map((piece, at) => ({ text: piece, link: at % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}
