import { encode } from "uqr";

/** Pixels of each module. */
const SCALE = 12;

/** A QR code as a PNG file, to be shared. */
export function qrImage(text: string, name: string): File {
  const { data, size } = encode(text, { border: 4 });
  const canvas = document.createElement("canvas");
  canvas.width = size * SCALE;
  canvas.height = size * SCALE;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("canvas is not available");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#000";
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) context.fillRect(x * SCALE, y * SCALE, SCALE, SCALE);
  const [, base64 = ""] = canvas.toDataURL("image/png").split(",", 2);
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new File([bytes], name, { type: "image/png" });
}
