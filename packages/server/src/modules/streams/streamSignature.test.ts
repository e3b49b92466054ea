import { expect, it } from "vitest";
import { testPayload } from "./streamPayload.ts";
import { streamHeaders } from "./streamSignature.ts";

/** Body, secret and signature of the tests of Moralis' SDK (packages/streams/src/methods/verifySignature.test.ts). */
const SECRET = "k9".repeat(32);
const SIGNATURE = "0x3c4b2e6b07e386f97198eb2dc639f7901f00a5d3ec1b8c8effe4838920d71829";
const BODY = {
  abi: [],
  block: { number: "", hash: "", timestamp: "" },
  txs: [],
  txsInternal: [],
  logs: [],
  chainId: "",
  confirmed: true,
  retries: 0,
  tag: "",
  streamId: "",
  erc20Approvals: [],
  erc20Transfers: [],
  nftTokenApprovals: [],
  nftApprovals: { ERC721: [], ERC1155: [] },
  nftTransfers: [],
  nativeBalances: [],
};

it("streamHeaders() signs a body as Moralis does", () => {
  expect(streamHeaders(JSON.stringify(BODY), SECRET)).toEqual({
    "content-type": "application/json",
    "x-signature": SIGNATURE,
  });
});

it("streamHeaders() does not sign without a secret", () => {
  expect(streamHeaders("{}", undefined)).toEqual({ "content-type": "application/json" });
});

it("testPayload() returns the test message of Moralis", () => {
  expect(testPayload("")).toEqual(BODY);
});
