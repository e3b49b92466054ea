import type { ApiReply } from "../core/http/apiRoute.ts";
import type { AuthConfig } from "./authDependencies.ts";

export type PageName = Exclude<keyof AuthConfig["customPages"], "parseFrameURL">;

/** The pages of Parse Server, below `/apps`. */
const PARSE_PAGES: Readonly<Record<PageName, string>> = {
  invalidLink: "invalid_link.html",
  invalidVerificationLink: "invalid_verification_link.html",
  linkSendSuccess: "link_send_success.html",
  linkSendFail: "link_send_fail.html",
  verifyEmailSuccess: "verify_email_success.html",
  choosePassword: "choose_password",
  passwordResetSuccess: "password_reset_success.html",
};

/**
 * A redirect to a page of the operator (`customPages`), or in Parse Server compatibility mode to the page at its
 * address, because apps and web views recognize the outcome by it. Undefined if there is none. Parameters that are not
 * strings are omitted.
 */
export function pageRedirect(
  config: Pick<AuthConfig, "customPages" | "compatibility" | "publicUrl">,
  name: PageName,
  params: Record<string, unknown>,
): ApiReply | undefined {
  const own =
    config.compatibility === "parse" ? `${config.publicUrl()}/apps/${PARSE_PAGES[name]}` : undefined;
  const target = config.customPages[name] ?? own;
  if (target === undefined) return undefined;
  const url = new URL(target);
  for (const [key, value] of Object.entries(params)) {
    if (typeof value === "string") url.searchParams.set(key, value);
  }
  // Scripts of pages decode parameters with decodeURIComponent(), which leaves a plus as it is.
  url.search = url.search.replaceAll("+", "%20");
  return {
    status: 302,
    body: `Found. Redirecting to ${url.href}`,
    headers: {
      location: url.href,
      "content-type": "text/plain; charset=utf-8",
      "referrer-policy": "no-referrer",
    },
  };
}
