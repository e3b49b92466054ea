import { expect, it } from "vitest";
import { parseSearch } from "./parseSearch.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

it.each([
  [" 123 ", { kind: "block", block: "123" }],
  ["#1,234", { kind: "block", block: "1234" }],
  ["Latest", { kind: "block", block: "latest" }],
  [HASH, { kind: "hash", hash: HASH }],
  [HASH.slice(2).toUpperCase(), { kind: "hash", hash: HASH }],
  [ADDRESS, { kind: "address", address: ADDRESS.toLowerCase() }],
  [`https://etherscan.io/tx/${HASH}#eventlog`, { kind: "hash", hash: HASH }],
  [`https://polygonscan.com/token/${ADDRESS}?a=7`, { kind: "address", address: ADDRESS.toLowerCase() }],
  ["https://etherscan.io/block/123", { kind: "block", block: "123" }],
  [`eip155:1:${ADDRESS}`, { kind: "address", address: ADDRESS.toLowerCase() }],
  [`ethereum:${ADDRESS}@1`, { kind: "address", address: ADDRESS.toLowerCase() }],
  [`${ADDRESS}/7`, { kind: "address", address: ADDRESS.toLowerCase() }],
  ["Foo.eth", { kind: "name", name: "foo.eth" }],
  ["a.b.crypto", { kind: "name", name: "a.b.crypto" }],
  ["2025-01-18", { kind: "date", date: new Date(2025, 0, 18).toISOString() }],
  ["Jan 18, 2025", { kind: "date", date: new Date(2025, 0, 18).toISOString() }],
  ["USDC", { kind: "symbol", symbol: "USDC" }],
])("parseSearch() reads %j as %j", (text, meaning) => {
  expect(parseSearch(text)).toEqual(meaning);
});

it.each(["", "   ", "0x12", `/${HASH}0`, "0xzz", `${HASH}0`, "x".repeat(33)])(
  "parseSearch() returns undefined for %j",
  (text) => {
    expect(parseSearch(text)).toBeUndefined();
  },
);
