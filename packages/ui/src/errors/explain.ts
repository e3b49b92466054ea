import { createTranslator, type Translator } from "../i18n/translator.ts";
import { isChunkError } from "../shell/chunkErrors.ts";

export interface Explanation {
  title: string;
  detail: string;
  code: number | undefined;
  /** Whether that is all that users need, such as what to do next: nobody has to be told the code. */
  isComplete?: boolean;
}

/** The title and detail of an error. Without a detail the error's own message is shown. */
interface ErrorText {
  title: string;
  detail?: string;
}

/** Errors of the browser by their name, such as those of passkeys. */
const BY_NAME: Readonly<Record<string, ErrorText>> = {
  NotAllowedError: {
    title: "Not confirmed",
    detail: "The request was cancelled, took too long, or there is no passkey for this page.",
  },
  InvalidStateError: { title: "This device already has a passkey for your account" },
};

/** Errors whose code is ambiguous, distinguished by their protocol message. */
const BY_MESSAGE: readonly { code: number; message: RegExp; text: ErrorText }[] = [
  // The server responds, but a chain node or the IPFS node behind it does not.
  {
    code: 100,
    message: /^(chain ".*" is not available|the node of chain ".*" failed)/,
    text: { title: "This chain is currently unavailable" },
  },
  { code: 100, message: /^The IPFS node failed/, text: { title: "IPFS is currently unavailable" } },
  {
    code: 100,
    message: /^The request was cut off/,
    text: { title: "Upload interrupted", detail: "Check your connection and try again." },
  },
  {
    code: 101,
    message: /^Invalid username\/password/,
    text: { title: "Wrong username or password", detail: "Check both and try again." },
  },
  { code: 101, message: /^The password is wrong/, text: { title: "Wrong password" } },
  { code: 101, message: /account is locked/, text: { title: "Too many failed attempts" } },
  { code: 101, message: /password has expired/, text: { title: "Your password has expired" } },
  {
    code: 101,
    message: /needs to be authenticated/,
    text: { title: "You are not signed in", detail: "Sign in and try again." },
  },
  {
    code: 101,
    message: /^The passkey was refused: it is not registered here/,
    text: {
      title: "Unknown passkey",
      detail: "It does not belong to an account here. It may have been removed.",
    },
  },
  { code: 101, message: /^The passkey was refused/, text: { title: "Passkey rejected" } },
  { code: 101, message: /sign-in was refused|^Auth is invalid/, text: { title: "Sign-in rejected" } },
  {
    code: 101,
    message: /^Object not found/,
    text: { title: "Not found", detail: "It does not exist or you don't have access." },
  },
  {
    code: 130,
    message: /^invalid file upload/i,
    text: { title: "The file is empty", detail: "Choose one with content." },
  },
  {
    code: 130,
    message: /^file upload of extension|^invalid content-type/i,
    text: {
      title: "This server does not accept files of this type",
      detail: "Put it into an archive, such as a ZIP file.",
    },
  },
  {
    code: 130,
    message: /^file size exceeds/i,
    text: {
      title: "The file is too large",
      detail:
        "It is larger than this server accepts. Make it smaller, or ask the operator to raise the limit.",
    },
  },
  {
    code: 130,
    message: /^file upload by/i,
    text: {
      title: "This server does not accept files from you",
      detail: "Ask its operator to allow uploads.",
    },
  },
  {
    code: 141,
    message: /^Invalid MFA token/,
    text: {
      title: "Wrong code",
      detail: "Enter the current code from your authenticator app. Each code works once.",
    },
  },
  {
    code: 206,
    message: /^Cannot modify user/,
    text: { title: "Not allowed", detail: "You can only change your own account." },
  },
];

/** Messages by error code, of the server and of wallets (EIP-1193). */
const BY_CODE: Readonly<Record<number, ErrorText>> = {
  4001: { title: "Request rejected in wallet", detail: "Nothing was signed or sent." },
  4100: {
    title: "Not authorized by the wallet",
    detail: "Unlock your wallet and allow this page to use the account.",
  },
  4902: { title: "Chain not added to the wallet", detail: "Add the chain to the wallet and try again." },
  [-32002]: {
    title: "Pending wallet request",
    detail: "The wallet already has a pending request. Open the wallet to respond.",
  },
  100: {
    title: "Can't reach the server",
    detail: "Check your connection and that the server is running, then try again.",
  },
  101: { title: "Not found" },
  119: { title: "Not allowed" },
  125: { title: "Invalid email address", detail: "Enter an address such as name@example.com." },
  142: { title: "Invalid data" },
  155: { title: "Too many attempts", detail: "Wait a moment, then try again." },
  200: { title: "Username required" },
  201: { title: "Password required" },
  202: { title: "Username already taken", detail: "Choose a different one." },
  203: { title: "An account with this email already exists", detail: "Use a different one." },
  206: { title: "You are not signed in", detail: "Sign in and try again." },
  208: {
    title: "Wallet linked to another account",
    detail: "Unlink it there first, or use a different wallet.",
  },
  209: { title: "Session expired", detail: "Sign in again. Your unsaved input is kept." },
};

/** Explains an error to users, translated by `t`. Messages of the server are kept as they are. */
export function explain(error: unknown, t: Translator["t"] = createTranslator("en").t): Explanation {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return {
      title: t("The server is taking too long to respond"),
      detail: t("Try again in a moment."),
      code: undefined,
    };
  }
  const message = messageOf(error);
  const named = error instanceof DOMException ? BY_NAME[error.name] : undefined;
  if (named)
    return {
      title: t(named.title),
      detail: named.detail ? t(named.detail) : message,
      code: undefined,
      isComplete: true,
    };
  const code = codeOf(error);
  const known = code === undefined ? undefined : findErrorText(code, message);
  if (known) {
    const isComplete = known.detail !== undefined;
    return { title: t(known.title), detail: known.detail ? t(known.detail) : message, code, isComplete };
  }
  if (/Non ethereum enabled browser/.test(message)) {
    return {
      title: t("No wallet found"),
      detail: t("Install a browser wallet, or use the test wallet."),
      code,
      isComplete: true,
    };
  }
  const library =
    /"?(@walletconnect\/ethereum-provider|@web3auth\/modal|magic-sdk)"? (?:is missing|not installed)/.exec(
      message,
    )?.[1];
  if (library) {
    return {
      title: t("This wallet is not available on this server"),
      detail: t(
        "Ask the operator to install {library} and restart the server. Until then, use another wallet or a password.",
        { library },
      ),
      code,
    };
  }
  if (isChunkError(error) || /dynamically imported module|Importing a module script failed/.test(message)) {
    return {
      title: t("Part of the app failed to load"),
      detail: t("Check your connection, then reload the page."),
      code,
    };
  }
  // Errors thrown by the app itself have translated messages.
  return { title: t("Something went wrong"), detail: t(message || "No reason given."), code };
}

function findErrorText(code: number, message: string): ErrorText | undefined {
  const found = BY_MESSAGE.find((each) => each.code === code && each.message.test(message));
  return found?.text ?? BY_CODE[code];
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (Array.isArray(error)) return error.join(", ");
  if (typeof error === "object" && error !== null && "message" in error)
    return String(error.message).slice(0, 400);
  return "";
}
