import { describe, expect, it } from "vitest";
import { appendLines } from "./useLogTail.ts";

const line = (seq: number, second = seq) => ({
  seq,
  time: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
  level: "info",
  message: String(seq),
  fields: {},
});
const messagesOf = (lines: readonly { message: string }[]) => lines.map(({ message }) => message).join(" ");

describe("the lines of a followed log", () => {
  it("are not repeated when the server sends the latest ones again after an interruption", () => {
    expect(messagesOf(appendLines([line(1), line(2)], [line(1), line(2), line(3)]))).toBe("1 2 3");
  });

  it("continue when the server restarts and its numbers begin with 1 again", () => {
    const lines = appendLines([line(7), line(8)], [line(1, 20), line(2, 21)]);
    expect(messagesOf(lines)).toBe("7 8 1 2");
    expect(new Set(lines.map(({ seq }) => seq)).size).toBe(4);
  });

  it("are limited to the last 2,000", () => {
    const many = Array.from({ length: 2_500 }, (_, i) => line(i + 1, 0));
    expect(appendLines([], many)).toHaveLength(2_000);
  });
});
