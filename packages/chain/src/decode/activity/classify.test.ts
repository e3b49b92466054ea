import { describe, expect, it } from "vitest";
import { NULL_ADDRESS } from "../../model/rows.ts";
import type { LoggedApproval } from "./approvalLog.ts";
import { classify, type WalletTransaction } from "./classify.ts";

const WALLET = "0xwallet";
const OTHER = "0xother";
const VAULT = "0xvault";
const SHARE = "0xshare";
const COIN = "0xcoin";
const COLLECTION = "0xcollection";

const STAKE = "0xa694fc3a";
const CLAIM = "0x4e71d92d";
const UNKNOWN = "0x12345678";

interface Changes extends Partial<Omit<WalletTransaction, "transaction">> {
  transaction?: Partial<WalletTransaction["transaction"]>;
}

function categoryOf({ transaction, ...changes }: Changes) {
  return classify({
    wallet: WALLET,
    internal: [],
    erc20: [],
    nfts: [],
    approvals: [],
    trades: [],
    hasSwap: false,
    wrappedNative: COIN,
    ...changes,
    transaction: {
      ...{ from: WALLET, to: VAULT, contract: null, value: "0", input: UNKNOWN, status: 1 },
      ...transaction,
    },
  });
}

const sent = (token: string, to = VAULT, value = "1") => ({ token, from: WALLET, to, value });
const received = (token: string, from = VAULT, value = "1") => ({ token, from, to: WALLET, value });
const nftSent = (tokenId: string, to = VAULT) => ({ ...sent(COLLECTION, to), tokenId, amount: "1" });
const nftReceived = (tokenId: string, from = VAULT) => ({
  ...received(COLLECTION, from),
  tokenId,
  amount: "1",
});
const coinsBack = (value: string) => ({ from: VAULT, to: WALLET, value });
const approval = (isRevoked: boolean): LoggedApproval => ({
  kind: "amount",
  position: 0,
  token: SHARE,
  spender: OTHER,
  value: isRevoked ? 0n : 1n,
  tokenId: null,
  isRevoked,
});

describe("classify()", () => {
  it.each([
    ["a plain payment", { transaction: { to: OTHER, value: "1", input: "0x" } }, "send"],
    ["a plain payment to itself", { transaction: { to: WALLET, value: "1", input: "0x" } }, "send"],
    [
      "a payment from another",
      { transaction: { from: OTHER, to: WALLET, value: "1", input: "0x" } },
      "receive",
    ],
    ["coins that are paid with an unknown call", { transaction: { value: "1" } }, "contract interaction"],
    ["a call without any effect on the wallet", {}, "contract interaction"],
    [
      "a token for coins that a contract pays",
      { erc20: [sent(SHARE)], internal: [coinsBack("1")] },
      "token swap",
    ],
    ["coins that a contract pays", { internal: [coinsBack("1")] }, "receive"],
    ["a reverted transaction", { transaction: { status: 0, value: "1" } }, "failed"],
    ["a creation", { transaction: { to: null } }, "deploy"],
    ["a token in one direction", { erc20: [sent(SHARE, OTHER)] }, "token send"],
    ["a token from another", { transaction: { from: OTHER }, erc20: [received(SHARE)] }, "token receive"],
    ["an NFT to another", { nfts: [nftSent("1", OTHER)] }, "nft send"],
    ["an NFT from another", { transaction: { from: OTHER }, nfts: [nftReceived("1")] }, "nft receive"],
    ["a token for another", { erc20: [sent("0xa"), received("0xb")] }, "token swap"],
    ["coins for a token", { transaction: { value: "1" }, erc20: [received("0xb")] }, "token swap"],
    ["a token, where a pool traded", { erc20: [sent("0xa")], hasSwap: true }, "token swap"],
    ["a sale to the wallet", { trades: [{ seller: OTHER, buyer: WALLET }] }, "nft purchase"],
    ["a sale by the wallet", { trades: [{ seller: WALLET, buyer: OTHER }] }, "nft sale"],
    ["an NFT for coins", { transaction: { value: "1" }, nfts: [nftReceived("1")] }, "nft purchase"],
    ["tokens for an NFT", { nfts: [nftSent("1")], erc20: [received("0xb")] }, "nft sale"],
    ["a new NFT for coins", { transaction: { value: "1" }, nfts: [nftReceived("1", NULL_ADDRESS)] }, "mint"],
    ["a new token", { erc20: [received(SHARE, NULL_ADDRESS)] }, "mint"],
    ["a token to the null address", { erc20: [sent(SHARE, NULL_ADDRESS)] }, "burn"],
    ["tokens for new shares", { erc20: [sent("0xa"), received(SHARE, NULL_ADDRESS)] }, "deposit"],
    ["shares that are burnt for tokens", { erc20: [sent(SHARE, NULL_ADDRESS), received("0xa")] }, "withdraw"],
    ["coins that are wrapped", wrapping([received(COIN, NULL_ADDRESS)], "1"), "deposit"],
    ["coins that are unwrapped", wrapping([sent(COIN, NULL_ADDRESS)], "0"), "withdraw"],
    ["a token that is staked", { transaction: { input: STAKE }, erc20: [sent("0xa")] }, "deposit"],
    ["a token that is claimed", { transaction: { input: CLAIM }, erc20: [received("0xa")] }, "withdraw"],
    ["an approval", { approvals: [approval(false)] }, "approve"],
    ["a revocation", { approvals: [approval(true)] }, "revoke"],
    ["an approval and a revocation", { approvals: [approval(true), approval(false)] }, "approve"],
    [
      "a transfer with an approval",
      { erc20: [sent("0xa", OTHER)], approvals: [approval(false)] },
      "token send",
    ],
    [
      "the creation of the contract itself",
      { transaction: { from: OTHER, to: null, contract: WALLET } },
      "deploy",
    ],
    [
      "coins that are paid with a call, of which a part comes back",
      { transaction: { value: "5" }, internal: [coinsBack("2")] },
      "contract interaction",
    ],
    [
      "coins that are staked, of which a part comes back",
      { transaction: { value: "5", input: STAKE }, internal: [coinsBack("2")] },
      "deposit",
    ],
    [
      "an NFT for coins, of which a part comes back",
      { transaction: { value: "5" }, internal: [coinsBack("2")], nfts: [nftReceived("1")] },
      "nft purchase",
    ],
    [
      "an NFT for tokens, of which a part comes back",
      { erc20: [sent("0xa", VAULT, "5"), received("0xa", VAULT, "2")], nfts: [nftReceived("1")] },
      "nft purchase",
    ],
    [
      "coins for new shares, of which a part comes back",
      { transaction: { value: "5" }, internal: [coinsBack("2")], erc20: [received(SHARE, NULL_ADDRESS)] },
      "mint",
    ],
    [
      "coins for a token, of which a part comes back",
      { transaction: { value: "5" }, internal: [coinsBack("2")], erc20: [received("0xb")] },
      "token swap",
    ],
    [
      "coins that all come back",
      { transaction: { value: "5" }, internal: [coinsBack("5")] },
      "contract interaction",
    ],
    ["more coins than were paid", { transaction: { value: "1" }, internal: [coinsBack("5")] }, "receive"],
    [
      "a loan that is returned in the same transaction",
      { erc20: [received("0xa", VAULT, "9"), sent("0xa", VAULT, "9")] },
      "contract interaction",
    ],
    ["an NFT that comes back", { nfts: [nftSent("1"), nftReceived("1")] }, "contract interaction"],
    [
      "an amount of nothing from another",
      { transaction: { from: OTHER }, erc20: [received("0xa", OTHER, "0")] },
      "token receive",
    ],
    ["a token from the wallet to itself", { erc20: [sent("0xa", WALLET)] }, "token send"],
  ] as const)("finds the category of %s", (_, changes, category) => {
    expect(categoryOf(changes)).toBe(category);
  });
});

/** A call of the wrapped coin itself. */
function wrapping(erc20: WalletTransaction["erc20"], value: string): Changes {
  return { transaction: { to: COIN, value }, erc20 };
}
