// Preloaded into a server (--import): shifts its clock by the ms in a file.
import { readFileSync } from "node:fs";

const file = process.env.PURSE_TEST_CLOCK_FILE;
const RealDate = Date;
const realNow = Date.now.bind(Date);

function now() {
  return realNow() + (file === undefined ? 0 : Number(readFileSync(file, "utf8")));
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
