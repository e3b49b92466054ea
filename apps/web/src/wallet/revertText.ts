import type { Revert } from "@purse/client";
import type { Translator } from "@purse/ui";
import { formatExactAmount } from "../money/amount.ts";

/** The token whose contract was called, in whose units its errors have amounts. */
export interface RevertedToken {
  decimals: number;
  symbol: string;
}

/**
 * What a revert means, for errors of token standards (ERC-6093) and common libraries; undefined for others, whose reason is all
 * that is known.
 */
export function revertText(
  { errorName, errorArgs }: Pick<Revert, "errorName" | "errorArgs">,
  token: RevertedToken | undefined,
  { t, language }: Pick<Translator, "t" | "language">,
): string | undefined {
  const [first, second, third, fourth] = errorArgs;
  const text = (value: unknown) => String(value).slice(0, 80);
  const integer = (value: unknown) =>
    typeof value === "bigint" ? formatExactAmount(value, 0, language) : text(value);
  const smallest = (value: unknown) => t("{amount} (in the smallest unit)", { amount: integer(value) });
  const amount = (value: unknown) => {
    if (typeof value !== "bigint") return text(value);
    if (!token) return smallest(value);
    return `${formatExactAmount(value, token.decimals, language)} ${token.symbol.slice(0, 16)}`.trim();
  };
  // Those of a vault: its assets are in the unit of another token than the called one.
  const assets = { max: smallest(third), amount: smallest(second) };
  const shares = { max: amount(third), amount: amount(second) };
  switch (errorName) {
    case "ERC20InsufficientBalance":
      return t("The balance is too low: {balance} of the needed {needed}.", {
        balance: amount(second),
        needed: amount(third),
      });
    case "ERC20InsufficientAllowance":
      return t("{spender} is only allowed to spend {allowance} of the needed {needed}. Approve more first.", {
        spender: text(first),
        allowance: amount(second),
        needed: amount(third),
      });
    case "ERC1155InsufficientBalance":
      return t("The balance of token {id} is too low: {balance} of the needed {needed}.", {
        id: text(fourth),
        balance: text(second),
        needed: text(third),
      });
    case "ERC721NonexistentToken":
      return t("There is no token {id}.", { id: text(first) });
    case "ERC721IncorrectOwner":
      return t("Token {id} does not belong to {sender}, but to {owner}.", {
        id: text(second),
        sender: text(first),
        owner: text(third),
      });
    case "ERC721InsufficientApproval":
      return t("{operator} is not approved for token {id}.", { operator: text(first), id: text(second) });
    case "ERC1155MissingApprovalForAll":
      return t("{operator} is not approved for the tokens of {owner}.", {
        operator: text(first),
        owner: text(second),
      });
    case "ERC20InvalidReceiver":
    case "ERC721InvalidReceiver":
    case "ERC1155InvalidReceiver":
      return t("{address} can't receive this token.", { address: text(first) });
    case "ERC20InvalidSender":
    case "ERC721InvalidSender":
    case "ERC1155InvalidSender":
      return t("{address} can't send this token.", { address: text(first) });
    case "ERC721InvalidOwner":
      return t("{address} can't own this token.", { address: text(first) });
    case "ERC20InvalidApprover":
    case "ERC721InvalidApprover":
    case "ERC1155InvalidApprover":
      return t("{address} can't approve others for this token.", { address: text(first) });
    case "ERC20InvalidSpender":
    case "ERC721InvalidOperator":
    case "ERC1155InvalidOperator":
      return t("{address} can't be approved for this token.", { address: text(first) });
    case "ERC1155InvalidArrayLength":
      return t("The request has {ids} tokens, but {amounts} amounts.", {
        ids: integer(first),
        amounts: integer(second),
      });
    case "ERC2612InvalidSigner":
      return t("The approval was signed by {signer}, not by the owner {owner}.", {
        signer: text(first),
        owner: text(second),
      });
    case "ERC4626ExceededMaxDeposit":
      return t("At most {max} can be deposited, not {amount}.", assets);
    case "ERC4626ExceededMaxMint":
      return t("At most {max} can be deposited, not {amount}.", shares);
    case "ERC4626ExceededMaxWithdraw":
      return t("At most {max} can be withdrawn, not {amount}.", assets);
    case "ERC4626ExceededMaxRedeem":
      return t("At most {max} can be withdrawn, not {amount}.", shares);
    case "ERC2612ExpiredSignature":
      return t("The signed approval has expired.");
    case "OwnableUnauthorizedAccount":
    case "AccessControlUnauthorizedAccount":
      return t("The contract does not allow this to {address}.", { address: text(first) });
    case "EnforcedPause":
      return t("The contract is paused.");
    case "ExpectedPause":
      return t("The contract is not paused.");
    case "ReentrancyGuardReentrantCall":
      return t("The contract can't be called again during a call.");
    case "OwnableInvalidOwner":
      return t("{address} can't own this contract.", { address: text(first) });
    case "AccessControlBadConfirmation":
      return t("Only the account that has a role can renounce it.");
    case "InvalidAccountNonce":
      return t("The signature is not for the next nonce of {address}, which is {nonce}. Sign again.", {
        address: text(first),
        nonce: text(second),
      });
    case "SafeERC20FailedOperation":
      return t("The token {address} has refused the transfer or the approval.", { address: text(first) });
    case "AddressEmptyCode":
      return t("There is no contract at {address}.", { address: text(first) });
    case "FailedCall":
    case "FailedInnerCall":
      return t("A call that the contract made has failed.");
    case "InsufficientBalance":
      return t("The contract's balance is too low: {balance} wei of the needed {needed} wei.", {
        balance: integer(first),
        needed: integer(second),
      });
    case "ECDSAInvalidSignature":
      return t("The signature is not valid.");
    case "NotInitializing":
      return t("The contract is not being set up.");
    case "InvalidInitialization":
      return t("The contract is already set up.");
    default:
      return undefined;
  }
}
