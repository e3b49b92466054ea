import { createTranslator } from "@purse/ui";
import { expect, it } from "vitest";
import { revertText } from "./revertText.ts";

/** Those that the client decodes without an ABI. */
const STANDARD_ERRORS = [
  "ERC20InsufficientBalance",
  "ERC20InvalidSender",
  "ERC20InvalidReceiver",
  "ERC20InsufficientAllowance",
  "ERC20InvalidApprover",
  "ERC20InvalidSpender",
  "ERC721InvalidOwner",
  "ERC721NonexistentToken",
  "ERC721IncorrectOwner",
  "ERC721InvalidSender",
  "ERC721InvalidReceiver",
  "ERC721InsufficientApproval",
  "ERC721InvalidApprover",
  "ERC721InvalidOperator",
  "ERC1155InsufficientBalance",
  "ERC1155InvalidSender",
  "ERC1155InvalidReceiver",
  "ERC1155MissingApprovalForAll",
  "ERC1155InvalidApprover",
  "ERC1155InvalidOperator",
  "ERC1155InvalidArrayLength",
  "ERC2612ExpiredSignature",
  "ERC2612InvalidSigner",
  "ERC4626ExceededMaxDeposit",
  "ERC4626ExceededMaxMint",
  "ERC4626ExceededMaxWithdraw",
  "ERC4626ExceededMaxRedeem",
  "OwnableUnauthorizedAccount",
  "OwnableInvalidOwner",
  "AccessControlUnauthorizedAccount",
  "AccessControlBadConfirmation",
  "EnforcedPause",
  "ExpectedPause",
  "ReentrancyGuardReentrantCall",
  "InvalidInitialization",
  "NotInitializing",
  "InvalidAccountNonce",
  "SafeERC20FailedOperation",
  "AddressEmptyCode",
  "FailedCall",
  "FailedInnerCall",
  "InsufficientBalance",
  "ECDSAInvalidSignature",
];
const ADA = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const PURSE = { decimals: 18, symbol: "PURSE" };
const texts = createTranslator("en-US");
const meaning = (errorName: string | null, errorArgs: unknown[], token?: typeof PURSE) =>
  revertText({ errorName, errorArgs }, token, texts);

it("revertText() has the amounts of a token in its unit", () => {
  const args = [ADA, 909_988n * 10n ** 18n, 10n ** 24n];
  expect(meaning("ERC20InsufficientBalance", args, PURSE)).toBe(
    "The balance is too low: 909,988 PURSE of the needed 1,000,000 PURSE.",
  );
  expect(meaning("ERC20InsufficientAllowance", [ADA, 0n, 10n ** 18n], PURSE)).toBe(
    `${ADA} is only allowed to spend 0 PURSE of the needed 1 PURSE. Approve more first.`,
  );
});

it("revertText() says that amounts are in the smallest unit if the token is unknown", () => {
  expect(meaning("ERC20InsufficientBalance", [ADA, 1n, 2_000n])).toBe(
    "The balance is too low: 1 (in the smallest unit) of the needed 2,000 (in the smallest unit).",
  );
});

it.each([
  ["ERC721NonexistentToken", [7n], "There is no token 7."],
  ["ERC721IncorrectOwner", ["0x1", 7n, "0x2"], "Token 7 does not belong to 0x1, but to 0x2."],
  ["ERC1155MissingApprovalForAll", ["0x1", "0x2"], "0x1 is not approved for the tokens of 0x2."],
  ["OwnableUnauthorizedAccount", ["0x1"], "The contract does not allow this to 0x1."],
  ["EnforcedPause", [], "The contract is paused."],
  ["ERC20InvalidSender", ["0x0"], "0x0 can't send this token."],
  ["ERC721InvalidOperator", ["0x0"], "0x0 can't be approved for this token."],
  ["ERC1155InvalidArrayLength", [2n, 3n], "The request has 2 tokens, but 3 amounts."],
  [
    "ERC4626ExceededMaxRedeem",
    ["0x1", 3n * 10n ** 18n, 10n ** 18n],
    "At most 1 PURSE can be withdrawn, not 3 PURSE.",
  ],
  [
    "ERC4626ExceededMaxDeposit",
    ["0x1", 3_000n, 10n],
    "At most 10 (in the smallest unit) can be deposited, not 3,000 (in the smallest unit).",
  ],
  ["AddressEmptyCode", ["0x1"], "There is no contract at 0x1."],
  ["InsufficientBalance", [0n, 5_000n], "The contract's balance is too low: 0 wei of the needed 5,000 wei."],
])("revertText() explains %s", (name, args, text) => {
  expect(meaning(name, args, PURSE)).toBe(text);
});

it.each(STANDARD_ERRORS)("revertText() has a sentence for the standard error %s", (name) => {
  expect(meaning(name, ["0x1", 1n, 2n, 3n])).toMatch(/\.$/);
});

it.each([[null], ["Error"], ["Panic"], ["SlippageExceeded"]])(
  "revertText() knows no more than the reason of %s",
  (name) => {
    expect(meaning(name, ["no stock"])).toBeUndefined();
  },
);
