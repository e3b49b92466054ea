// Preloaded into a server (--import): shifts its clock by the ms in a file.
import { readFileSync } from "node:fs";

const file = process.env.PURSE_TEST_CLOCK_FILE;
const LOOK_MS = 20;
const RealDate = Date;
const realNow = Date.now.bind(Date);
let shift = 0;
let readAt = 0;

function now() {
  const real = realNow();
  if (file !== undefined && Math.abs(real - readAt) >= LOOK_MS) {
    readAt = real;
    try {
      shift = Number(readFileSync(file, "utf8")) || 0;
    } catch {
      shift = 0;
    }
  }
  return real + shift;
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }
  static now() {
    return now();
  }
}

globalThis.Date = ShiftedDate;
