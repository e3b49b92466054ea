/*
 * QR codes (ISO/IEC 18004) of texts: bytes, error correction M, versions 1 to 15, which is up to 412 bytes. What a
 * second factor's address needs, without a library.
 */

/** By version, beginning with 1. */
const CHECK_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
/** The bits of error correction M in the format's information. */
const LEVEL_M = 0;

/** Rows of dark (true) and light modules, without the quiet border. Throws RangeError for what is too long. */
export function qrCode(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_, i) => bytes.length + (i < 9 ? 2 : 3) <= dataBytes(i + 1)) + 1;
  if (version === 0) throw new RangeError("The text is too long for a QR code");
  const stream = interleave(version, paddedData(version, bytes));
  const drawn = Array.from({ length: 8 }, (_, mask) => draw(version, stream, mask));
  return drawn.reduce((best, each) => (penalty(each) < penalty(best) ? each : best));
}

function rawModules(version: number): number {
  const aligns = Math.floor(version / 7) + 2;
  const bare = (16 * version + 128) * version + 64;
  if (version < 2) return bare;
  return bare - (25 * aligns - 10) * aligns + 55 - (version < 7 ? 0 : 36);
}

function dataBytes(version: number): number {
  return Math.floor(rawModules(version) / 8) - at(CHECK_BYTES, version - 1) * at(BLOCKS, version - 1);
}

/** Mode, length, bytes, end, and filling up to what the version holds. */
function paddedData(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let i = width - 1; i >= 0; i -= 1) bits.push((value >>> i) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  const capacity = dataBytes(version) * 8;
  put(0, Math.min(4, capacity - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let fill = 0xec; bits.length < capacity; fill ^= 0xec ^ 0x11) put(fill, 8);
  return Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
}

function interleave(version: number, data: readonly number[]): number[] {
  const blocks = at(BLOCKS, version - 1);
  const checks = at(CHECK_BYTES, version - 1);
  const total = Math.floor(rawModules(version) / 8);
  const short = blocks - (total % blocks);
  const shortLength = Math.floor(total / blocks) - checks;
  const generator = generatorOf(checks);
  const parts: { data: readonly number[]; check: readonly number[] }[] = [];
  for (let i = 0, from = 0; i < blocks; i += 1) {
    const length = shortLength + (i < short ? 0 : 1);
    const part = data.slice(from, from + length);
    parts.push({ data: part, check: remainder(part, generator) });
    from += length;
  }
  const take = (length: number, of: "data" | "check") =>
    Array.from({ length }, (_, i) => parts.flatMap((part) => part[of].slice(i, i + 1))).flat();
  return [...take(shortLength + 1, "data"), ...take(checks, "check")];
}

/** The product in GF(2^8), by the polynomial of QR codes. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> i) & 1) * a;
  }
  return product & 0xff;
}

function generatorOf(degree: number): number[] {
  const result = Array.from({ length: degree }, (_, i): number => (i === degree - 1 ? 1 : 0));
  for (let step = 0, power = 1; step < degree; step += 1, power = multiply(power, 2)) {
    for (let i = 0; i < degree; i += 1) result[i] = multiply(at(result, i), power) ^ (result[i + 1] ?? 0);
  }
  return result;
}

function remainder(data: readonly number[], generator: readonly number[]): number[] {
  const result = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    generator.forEach((each, i) => {
      result[i] = at(result, i) ^ multiply(each, factor);
    });
  }
  return result;
}

function draw(version: number, stream: readonly number[], mask: number): boolean[][] {
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const fixed = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const set = (x: number, y: number, isDark: boolean) => {
    const [row, kept] = [dark[y], fixed[y]];
    if (!row || !kept || x < 0 || x >= size) return;
    row[x] = isDark;
    kept[x] = true;
  };
  for (let i = 0; i < size; i += 1) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    square(4, (dx, dy, ring) => set(x + dx, y + dy, ring !== 2 && ring !== 4));
  }
  const aligns = alignments(version);
  const last = aligns.length - 1;
  aligns.forEach((x, i) => {
    aligns.forEach((y, j) => {
      const isCorner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isCorner) square(2, (dx, dy, ring) => set(x + dx, y + dy, ring !== 1));
    });
  });
  drawFormat(size, mask, set);
  drawVersion(version, size, set);
  fill(stream, dark, fixed);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const row = dark[y];
      if (row && !fixed[y]?.[x] && isMasked(mask, x, y)) row[x] = !row[x];
    }
  }
  return dark;
}

/** All places around a middle, with the ring that they are in. */
function square(reach: number, put: (dx: number, dy: number, ring: number) => void): void {
  for (let dy = -reach; dy <= reach; dy += 1) {
    for (let dx = -reach; dx <= reach; dx += 1) put(dx, dy, Math.max(Math.abs(dx), Math.abs(dy)));
  }
}

function alignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const others = Array.from({ length: count - 1 }, (_, i) => version * 4 + 10 - i * step);
  return [6, ...others.reverse()];
}

function drawFormat(size: number, mask: number, set: (x: number, y: number, isDark: boolean) => void): void {
  const data = (LEVEL_M << 3) | mask;
  let check = data;
  for (let i = 0; i < 10; i += 1) check = (check << 1) ^ ((check >>> 9) * 0x537);
  const bits = ((data << 10) | check) ^ 0x5412;
  const bit = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i += 1) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i += 1) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i += 1) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i += 1) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
}

function drawVersion(
  version: number,
  size: number,
  set: (x: number, y: number, isDark: boolean) => void,
): void {
  if (version < 7) return;
  let check = version;
  for (let i = 0; i < 12; i += 1) check = (check << 1) ^ ((check >>> 11) * 0x1f25);
  const bits = (version << 12) | check;
  for (let i = 0; i < 18; i += 1) {
    const isDark = ((bits >>> i) & 1) === 1;
    const a = size - 11 + (i % 3);
    const b = Math.floor(i / 3);
    set(a, b, isDark);
    set(b, a, isDark);
  }
}

/** Zigzag, in columns of two from the right, up and down. */
function fill(stream: readonly number[], dark: boolean[][], fixed: readonly boolean[][]): void {
  const size = dark.length;
  let i = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        const row = dark[y];
        if (!row || fixed[y]?.[x] || i >= stream.length * 8) continue;
        row[x] = ((at(stream, i >>> 3) >>> (7 - (i & 7))) & 1) === 1;
        i += 1;
      }
    }
  }
}

function isMasked(mask: number, x: number, y: number): boolean {
  const rules = [
    (x + y) % 2,
    y % 2,
    x % 3,
    (x + y) % 3,
    (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    ((x * y) % 2) + ((x * y) % 3),
    (((x * y) % 2) + ((x * y) % 3)) % 2,
    (((x + y) % 2) + ((x * y) % 3)) % 2,
  ];
  return rules[mask] === 0;
}

/** How hard a code is to read: long runs, blocks, what looks like a finder, and one colour too many. */
function penalty(rows: readonly (readonly boolean[])[]): number {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x] === true));
  const text = (line: readonly boolean[]) => line.map((isDark) => (isDark ? "1" : "0")).join("");
  let points = 0;
  for (const line of [...rows, ...columns].map(text)) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2;
    points += 40 * [...`0000${line}0000`.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  for (let y = 1; y < size; y += 1) {
    for (let x = 1; x < size; x += 1) {
      const one = rows[y]?.[x];
      const same = one === rows[y]?.[x - 1] && one === rows[y - 1]?.[x] && one === rows[y - 1]?.[x - 1];
      if (same) points += 3;
    }
  }
  const dark = rows.flat().filter(Boolean).length / (size * size);
  return points + 10 * Math.floor(Math.abs(dark * 100 - 50) / 5);
}

function at(list: readonly number[], index: number): number {
  return list[index] ?? 0;
}
