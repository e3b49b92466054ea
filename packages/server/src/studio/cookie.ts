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

/** The Set-Cookie header that stores a session token. */
export function sessionCookie(token: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${token}; ${attributes(isSecure)}`;
}

/** The Set-Cookie header that deletes the session token. */
export function expiredCookie(isSecure: boolean): string {
  return `${cookieName(isSecure)}=; ${attributes(isSecure)}; Max-Age=0`;
}

function attributes(isSecure: boolean): string {
  return `Path=${PATH}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}
