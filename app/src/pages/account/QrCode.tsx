import { qrCode } from "./qrCode.ts";

const BORDER = 4;

/** A text as a code that cameras read: always dark on light, as they want it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = qrCode(text);
  const size = rows.length + BORDER * 2;
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
