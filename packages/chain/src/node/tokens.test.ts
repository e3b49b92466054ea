import { expect, it } from "vitest";
import { decodeText } from "./tokens.ts";

const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const abi = (text: string) => {
  const bytes = Buffer.from(text);
  return `0x${word(32)}${word(bytes.length)}${bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0")}`;
};

it.each([
  ["a text", abi("Dai Stablecoin"), "Dai Stablecoin"],
  ["a bytes32", `0x${Buffer.from("MKR").toString("hex").padEnd(64, "0")}`, "MKR"],
  ["a text longer than allowed", abi("x".repeat(100_000)), "x".repeat(32)],
  ["control and direction marks", abi("A\u202eB\u0000C"), "ABC"],
  ["bytes that are not UTF-8", `0x${word(32)}${word(2)}${"ff41".padEnd(64, "0")}`, "\ufffdA"],
  ["a call that reverted", undefined, null],
  ["an empty result", "0x", null],
  ["an offset out of bounds", `0x${word(2n ** 255n)}${word(1)}`, null],
  ["a length out of bounds", `0x${word(32)}${word(2n ** 200n)}`, null],
])("decodeText() reads %s safely", (_name, answer, expected) => {
  expect(decodeText(answer, 32)).toBe(expected);
});
