import type { IncomingMessage } from "node:http";

/** Browsers only send the cookie below this path, so that the Parse API and applications never receive it. */
const PATH = "/studio";

function cookieName(isSecure: boolean): string {
  return isSecure ? "__Secure-purse-studio" : "purse-studio";
}

/** Returns the session token of the cookie. Duplicate cookies are ignored. */
export function readCookie({ headers }: IncomingMessage, isSecure: boolean): string | undefined {
  const cookies = (headers.cookie ?? "")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${cookieName(isSecure)}=`));
  return cookies.length === 1 ? cookies[0]?.slice(cookieName(isSecure).length + 1) : undefined;
}

export function setCookie(token: string, isSecure: boolean): Record<string, string> {
  const secure = isSecure ? "; Secure" : "";
  return {
    "set-cookie": `${cookieName(isSecure)}=${token}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`,
  };
}

export function clearCookie(isSecure: boolean): Record<string, string> {
  const secure = isSecure ? "; Secure" : "";
  return {
    "set-cookie": `${cookieName(isSecure)}=; Path=${PATH}; HttpOnly; SameSite=Strict; Max-Age=0${secure}`,
  };
}
