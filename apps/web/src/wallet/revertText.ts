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
  const amount = (value: unknown) => {
    if (typeof value !== "bigint") return text(value);
    if (!token)
      return t("{amount} (in the smallest unit)", { amount: formatExactAmount(value, 0, language) });
    return `${formatExactAmount(value, token.decimals, language)} ${token.symbol.slice(0, 16)}`.trim();
  };
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
    case "ERC2612ExpiredSignature":
      return t("The signed approval has expired.");
    case "OwnableUnauthorizedAccount":
    case "AccessControlUnauthorizedAccount":
      return t("The contract does not allow this to {address}.", { address: text(first) });
    case "EnforcedPause":
      return t("The contract is paused.");
    case "InvalidInitialization":
      return t("The contract is already set up.");
    default:
      return undefined;
  }
}
