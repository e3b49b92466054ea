import { formatMessage, type MessageFields, messageLayout, parseMessage } from "../siweMessage.ts";
import { walletSignInError } from "../walletSignInError.ts";

const OPENING = " wants you to sign in with your Solana account:";
const LAYOUT = messageLayout(OPENING, "[1-9A-HJ-NP-Za-km-z]{32,44}");

/** The clusters of Solana, as messages name them. */
export const SOLANA_CHAINS: readonly string[] = ["mainnet", "testnet", "devnet"];

/** Whether a text looks like a message of Sign-In with Solana, valid or not. */
export function isSiwsMessage(text: string): boolean {
  return text.includes(OPENING);
}

/** Formats the text that the wallet shows and signs. */
export function formatSiws(message: MessageFields): string {
  return formatMessage(message, OPENING);
}

/** Parses a message of Sign-In with Solana strictly. Throws 101. */
export function parseSiws(text: string): MessageFields {
  const message = parseMessage(text, LAYOUT, "Sign-In with Solana");
  if (SOLANA_CHAINS.includes(message.chainId)) return message;
  throw walletSignInError("the message's chain id is not valid");
}
