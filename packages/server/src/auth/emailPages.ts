import { escapeHtml } from "@purse/protocol";
import type { ApiReply } from "../core/http/apiRoute.ts";

/*
 * The pages that links in emails lead to. They use no scripts, load no resources, and send no referrer.
 */

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 Inter, system-ui, sans-serif;
  --paper: light-dark(#f5f2ea, #12140f); --surface: light-dark(#fffdf8, #1a1d17); --ink: light-dark(#1d1c18, #ecebe2);
  --soft: light-dark(#5c594f, #a6a598); --line: light-dark(#dcd6c6, #2d3128); --strong: light-dark(#8c8676, #707566);
  --accent: light-dark(#0e5a44, #6fcea6); --on-accent: light-dark(#fffdf8, #07261b);
  --danger: light-dark(#a3271d, #ff9a8a); --danger-soft: light-dark(#f9e0da, #41201b); --focus: light-dark(#1456c4, #8ab8ff); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink); }
main { box-sizing: border-box; width: min(28rem, 100vw - 2rem); padding: 2rem; border: 1px solid var(--line);
  border-radius: 12px; background: var(--surface); }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; margin: 0 0 .5rem; }
p { margin: 0 0 1.25rem; color: var(--soft); }
label { display: block; font-size: .8125rem; font-weight: 600; margin: 0 0 .375rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .625rem .75rem; margin: 0 0 1rem;
  border: 1px solid var(--strong); border-radius: 8px; background: var(--paper); color: inherit; }
button, .button { box-sizing: border-box; display: block; font: inherit; font-weight: 560; text-align: center; width: 100%;
  padding: .625rem .75rem; border: 0; border-radius: 8px; background: var(--accent); color: var(--on-accent);
  text-decoration: none; cursor: pointer; }
:is(input, button, .button):focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.error { padding: .75rem; border: 1px solid var(--danger); border-radius: 8px; background: var(--danger-soft); color: inherit; }
`;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

function page(status: number, title: string, body: string): ApiReply {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
  return { status, body: html, headers: HEADERS };
}

/** A page with a message and a link to the app. */
export function messagePage(status: number, title: string, text: string): ApiReply {
  return page(
    status,
    title,
    `<p>${escapeHtml(text)}</p><a class="button" href="/sign-in?by=password">Go to the app</a>`,
  );
}

export interface NewPasswordForm {
  token: string;
  username: string;
  /** Why the previous password was rejected. */
  problem: string | undefined;
  /** Address that the form is sent to, relative to the page. */
  action: string;
}

/** The form for a new password. */
export function newPasswordPage({ token, username, problem, action }: NewPasswordForm): ApiReply {
  const alert = problem === undefined ? "" : `<p class="error" role="alert">${escapeHtml(problem)}</p>`;
  return page(
    problem === undefined ? 200 : 400,
    "Choose a new password",
    `<p>For ${escapeHtml(username)}.</p>${alert}<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="text" name="username" value="${escapeHtml(username)}" autocomplete="username" hidden>
<label for="new_password">New password</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" required autofocus>
<label for="repeated">Confirm password</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required>
<button>Set password</button></form>`,
  );
}

/** The form that requests a new verification email, sent to an address relative to the page. */
export function resendPage(status = 400, action = "resend_verification_email"): ApiReply {
  return page(
    status,
    "This link is no longer valid",
    `<p>It has been used or has expired. We can send you a new one.</p><form method="post" action="${escapeHtml(action)}">
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="email" required>
<button>Send new link</button></form>`,
  );
}
