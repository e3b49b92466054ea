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
  [`https://example.org/tx/${HASH.slice(2)}?tab=logs#x`, { kind: "hash", hash: HASH }],
  [`https://etherscan.io/search?f=0&q=${ADDRESS}`, { kind: "address", address: ADDRESS.toLowerCase() }],
  ["https://etherscan.io/block/countdown/123", { kind: "block", block: "123" }],
  ["https://etherscan.io/txs?block=123#top", { kind: "block", block: "123" }],
  ["https://etherscan.io/address/VITALIK.ETH#code", { kind: "name", name: "vitalik.eth" }],
  ["https://app.ens.domains/pay.vitalik.eth?tab=more", { kind: "name", name: "pay.vitalik.eth" }],
  ["1.234.567", { kind: "block", block: "1234567" }],
  ["1’234’567", { kind: "block", block: "1234567" }],
  ["1\u202f234\u202f567", { kind: "block", block: "1234567" }],
  ["1,23,456", { kind: "symbol", symbol: "1,23,456" }],
  ["Block #1,234", { kind: "block", block: "1234" }],
  ["１２３", { kind: "block", block: "123" }],
  [ADDRESS.replace(/.{6}/g, "$& "), { kind: "address", address: ADDRESS.toLowerCase() }],
  [`\u200b"${ADDRESS}",`, { kind: "address", address: ADDRESS.toLowerCase() }],
  [`(${HASH}).`, { kind: "hash", hash: HASH }],
  ["VITALIK.ETH.", { kind: "name", name: "vitalik.eth" }],
  ["@vitalik.eth", { kind: "name", name: "vitalik.eth" }],
  ["$USDC", { kind: "symbol", symbol: "USDC" }],
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
