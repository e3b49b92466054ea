import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import type { Activity } from "./activity.ts";
import { activityTitle } from "./activityTitle.ts";

const { t } = createTranslator("en");
const OWN = "0x1111111111111111111111111111111111111111";

/** A transaction of a category without transfers, unless `changes` have some. */
function activity(changes: Partial<Activity["entry"]>): Activity {
  return {
    at: 0,
    chain: {
      id: 1,
      hexId: "0x1",
      name: "eth",
      rpcUrl: null,
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      wrappedNative: null,
    },
    entry: {
      hash: "0x",
      nonce: "0",
      transaction_index: "0",
      block_timestamp: "2026-01-01T00:00:00.000Z",
      block_number: "1",
      block_hash: "0x",
      from_address: OWN,
      to_address: null,
      value: "0",
      gas: "21000",
      gas_price: "1",
      receipt_gas_used: "21000",
      receipt_contract_address: null,
      receipt_status: "1",
      transaction_fee: "0",
      method_label: null,
      category: "send",
      summary: "",
      native_transfers: [],
      erc20_transfers: [],
      nft_transfers: [],
      approvals: [],
      nft_sales: [],
      is_truncated: false,
      ...changes,
    },
  };
}

it.each([
  ["deploy", "Contract deployed"],
  ["mint", "Minted"],
  ["token receive", "Received from"],
  ["contract interaction", "Contract interaction"],
] as const)("activityTitle() of the category %j is %j", (category, title) => {
  expect(activityTitle(activity({ category }), t)).toBe(title);
});

it("activityTitle() tells transfers to oneself from others", () => {
  const toSelf = activity({
    native_transfers: [
      {
        from_address: OWN,
        to_address: OWN,
        value: "1",
        value_formatted: "0.000000000000000001",
        direction: "self",
        internal_transaction: false,
        token_symbol: "ETH",
      },
    ],
  });
  expect(activityTitle(toSelf, t)).toBe("Sent to self");
});
