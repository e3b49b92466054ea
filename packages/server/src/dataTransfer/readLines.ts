import { createReadStream } from "node:fs";

/**
 * Reads the lines of a file, one at a time. Only a line feed ends a line: JSON text may contain other characters that
 * Node's readline treats as line ends.
 */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, { encoding: "utf8", highWaterMark: 1 << 20 })) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
