/** A file's content as base64. */
export async function toBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  // Limits the number of arguments per call.
  for (let i = 0; i < bytes.length; i += 32_768)
    text += String.fromCharCode(...bytes.subarray(i, i + 32_768));
  return btoa(text);
}

/** A hex dump of the first bytes, 16 per line; undefined for invalid base64. */
export function hexDump(base64: string, maxBytes = 256): string | undefined {
  let bytes: string;
  try {
    bytes = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const lines: string[] = [];
  for (let i = 0; i < Math.min(maxBytes, bytes.length); i += 16) {
    const line = [...bytes.slice(i, i + 16)];
    const hex = line.map((each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
    const letters = line.map((each) => (each >= " " && each <= "~" ? each : "·")).join("");
    lines.push(`${i.toString(16).padStart(4, "0")}  ${hex.padEnd(47)}  ${letters}`);
  }
  if (bytes.length > maxBytes) lines.push("…");
  return lines.join("\n");
}
