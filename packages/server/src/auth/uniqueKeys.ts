import { ErrorCode, MAX_EMAIL_LENGTH, MAX_USERNAME_LENGTH, ProtocolError } from "@purse/protocol";

/** Scopes of the unique keys of accounts. The owner of a key is the user's ID; for session tokens it is the session's ID. */
export const UNIQUE_KEYS = {
  username: "_User.username",
  email: "_User.email",
  address: "_EthAddress",
  role: "_Role.name",
  sessionToken: "_Session.sessionToken",
  /** The session of a user on an installation. The value is a hash of both IDs, the owner is the session's ID. */
  installation: "_Session.installation",
  /** The session of a user that an operator has started. The value is the session's ID, the owner is the operator's. */
  operatorSession: "_Session.operator",
  signature: "signature",
  siweNonce: "siwe-nonce",
  /** The value is a hash of the credential ID, the owner is the ID of the passkey. */
  passkey: "_Passkey.credential",
  passkeyChallenge: "passkey-challenge",
  /** The chain that a contract wallet signs in on. The value is its address, the owner is the chain ID. */
  contractChain: "_EthAddress.contractChain",
  /** Version of a user's sign-in methods: the value is the user's ID, the owner changes with every removal. */
  credentials: "_User.credentials",
} as const;

/** Maximum length of usernames and email addresses. */
const MAX_FOLDED_LENGTH = Math.max(MAX_USERNAME_LENGTH, MAX_EMAIL_LENGTH);

/**
 * Normalizes a name for comparison: letter case and Unicode compatibility variants are folded. The result may be many
 * times as long as the name. Throws 142 if the name is too long.
 */
export function foldName(name: string): string {
  if (name.length > MAX_FOLDED_LENGTH) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `A name may have at most ${MAX_FOLDED_LENGTH} characters`,
    );
  }
  return name.normalize("NFKC").toLowerCase();
}
