/** A deterministic 5×5 icon of an address, mirrored, with its own color. */
export function Identicon({ address, size = 28 }: { address: string; size?: number }) {
  const digits = address.toLowerCase().replace(/^0x/, "");
  const at = (i: number) => Number.parseInt(digits[i % Math.max(1, digits.length)] ?? "0", 16) || 0;
  const hue = (at(36) * 16 + at(37)) * 1.4;
  const cells = Array.from({ length: 15 }, (_, i) => at(i) % 2 === 0);
  return (
    <svg
      className="identicon"
      width={size}
      height={size}
      viewBox="0 0 7 7"
      aria-hidden="true"
      fill={`hsl(${hue} 55% 46%)`}
    >
      {cells.flatMap((filled, i) => {
        const column = Math.floor(i / 5);
        const row = i % 5;
        const columns = column === 2 ? [2] : [column, 4 - column];
        return filled
          ? columns.map((x) => <rect key={`${x}-${row}`} x={x + 1} y={row + 1} width="1.02" height="1.02" />)
          : [];
      })}
    </svg>
  );
}
