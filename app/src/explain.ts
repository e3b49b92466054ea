import { createTexts, type Texts } from "./texts/text.ts";

export interface Explanation {
  title: string;
  detail: string;
  code: number | undefined;
}

/** An error in words for people: sentences of the texts. Without a detail the error's own message stands there. */
interface Words {
  title: string;
  detail?: string;
}

/** Errors whose code means different things, told apart by the messages of the protocol. */
const BY_MESSAGE: readonly { code: number; message: RegExp; words: Words }[] = [
  // The server answers, and what it asks does not: a chain's node, or its IPFS node.
  {
    code: 100,
    message: /^(the node of )?chain ".*" cannot /,
    words: { title: "This chain cannot be read at the moment" },
  },
  {
    code: 100,
    message: /^The IPFS node failed/,
    words: { title: "IPFS cannot be reached at the moment" },
  },
  {
    code: 100,
    message: /^The request was cut off/,
    words: { title: "The upload was interrupted", detail: "Check that you are online, then try again." },
  },
  {
    code: 101,
    message: /^Invalid username\/password/,
    words: { title: "Wrong username or password", detail: "Check both and try again." },
  },
  { code: 101, message: /^The password is wrong/, words: { title: "Wrong password" } },
  { code: 101, message: /account is locked/, words: { title: "Too many failed attempts" } },
  { code: 101, message: /password has expired/, words: { title: "Your password has expired" } },
  {
    code: 101,
    message: /needs to be authenticated/,
    words: { title: "You are not signed in", detail: "Sign in and try again." },
  },
  { code: 101, message: /sign-in was refused|^Auth is invalid/, words: { title: "Sign-in was refused" } },
  {
    code: 101,
    message: /^Object not found/,
    words: { title: "Not found", detail: "It does not exist, or you do not have access to it." },
  },
  {
    code: 141,
    message: /^Invalid MFA token/,
    words: { title: "Wrong code", detail: "Enter the code that the app shows now. Each code works once." },
  },
  {
    code: 206,
    message: /^Cannot modify user/,
    words: { title: "Not allowed", detail: "You can only change your own account." },
  },
];

/** What people can do about an error, by its code: those of the server, and of wallets (EIP-1193). */
const BY_CODE: Readonly<Record<number, Words>> = {
  4001: { title: "Declined in the wallet", detail: "Nothing was signed or sent. You can try again." },
  4100: {
    title: "The wallet does not allow this",
    detail: "Unlock the wallet and allow this page to use the account.",
  },
  4902: {
    title: "The wallet does not know this chain",
    detail: "Add the chain to the wallet and try again.",
  },
  [-32002]: {
    title: "The wallet is waiting",
    detail: "It has an open request already: open the wallet to answer it.",
  },
  100: {
    title: "The server cannot be reached",
    detail: "Check that it runs and that you are online, then try again.",
  },
  101: { title: "Not found" },
  119: { title: "Not allowed" },
  125: { title: "That is not an e-mail address", detail: "It needs a name, an @ and a domain." },
  142: { title: "That cannot be saved as it is" },
  155: { title: "Too many tries", detail: "Wait a moment, then try again." },
  200: { title: "A username is missing" },
  201: { title: "A password is missing" },
  202: { title: "This username is taken", detail: "Choose another one." },
  203: { title: "This e-mail address has an account already", detail: "Use another one." },
  206: { title: "You are not signed in", detail: "Sign in and try again." },
  208: {
    title: "This wallet belongs to another account",
    detail: "Unlink it there first, or use another wallet.",
  },
  209: { title: "Your session has ended", detail: "Sign in again; what you typed is still here." },
};

/** Puts an error into words for people, with `t` of the texts in theirs. What the server says stays as it says it. */
export function explain(error: unknown, t: Texts["t"] = createTexts("en").t): Explanation {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return {
      title: t("The server takes too long to answer"),
      detail: t("Try again in a moment."),
      code: undefined,
    };
  }
  const code = codeOf(error);
  const message = messageOf(error);
  const known = code === undefined ? undefined : wordsFor(code, message);
  if (known) {
    return { title: t(known.title), detail: known.detail ? t(known.detail) : message, code };
  }
  if (/Non ethereum enabled browser/.test(message)) {
    return {
      title: t("No wallet found"),
      detail: t("Install a browser wallet, or use the development wallet."),
      code,
    };
  }
  const library =
    /"?(@walletconnect\/ethereum-provider|@web3auth\/modal|magic-sdk)"? (?:is missing|not installed)/.exec(
      message,
    )?.[1];
  if (library) {
    return {
      title: t("This server's app was built without this wallet"),
      detail: t(
        "Its operator installs {library} and starts the server again. Until then, use another wallet or a password.",
        { library },
      ),
      code,
    };
  }
  if (/dynamically imported module|Importing a module script failed/.test(message)) {
    return {
      title: t("A part of the app could not be loaded"),
      detail: t("Check that you are online, then try again or load the page anew."),
      code,
    };
  }
  // Failures of the app itself, as that the server did not answer, are sentences of the texts.
  return { title: t("That did not work"), detail: t(message || "No reason was given."), code };
}

function wordsFor(code: number, message: string): Words | undefined {
  const found = BY_MESSAGE.find((each) => each.code === code && each.message.test(message));
  return found?.words ?? BY_CODE[code];
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
