import type { IncomingMessage } from "node:http";

/** Below this path alone the browser sends it: neither the Parse protocol nor an app's code gets to see it. */
const PATH = "/studio";

function nameOf(isSecure: boolean): string {
  return isSecure ? "__Secure-purse-studio" : "purse-studio";
}

/** The session's token as the browser sent it. Of two cookies of one name neither is believed. */
export function cookieOf({ headers }: IncomingMessage, isSecure: boolean): string | undefined {
  const found = (headers.cookie ?? "")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${nameOf(isSecure)}=`));
  return found.length === 1 ? found[0]?.slice(nameOf(isSecure).length + 1) : undefined;
}

export function setCookie(token: string, isSecure: boolean): Record<string, string> {
  const secure = isSecure ? "; Secure" : "";
  return { "set-cookie": `${nameOf(isSecure)}=${token}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}` };
}

export function dropCookie(isSecure: boolean): Record<string, string> {
  const secure = isSecure ? "; Secure" : "";
  return {
    "set-cookie": `${nameOf(isSecure)}=; Path=${PATH}; HttpOnly; SameSite=Strict; Max-Age=0${secure}`,
  };
}
