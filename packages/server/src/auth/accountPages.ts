import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { MASTER, type RequestContext } from "../core/authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute, Method, ParseEndpoint } from "../core/http/apiRoute.ts";
import { defineEndpoints, nothing, routesOf } from "../core/http/endpoint.ts";
import { TooManyRequestsError } from "../core/limits/tooManyRequests.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { sendInBackground } from "../core/sendInBackground.ts";
import { UPDATE_CONFLICT } from "../database/store.ts";
import type { AccountEmails } from "./accountEmails.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { isEmailAddress } from "./emailAddress.ts";
import { messagePage, newPasswordPage, resendPage } from "./emailPages.ts";
import type { EmailTokens } from "./emailTokens.ts";
import type { Lockout } from "./lockout.ts";
import { type PageName, pageRedirect } from "./pageRedirects.ts";
import { assertPassword } from "./passwordPolicy.ts";
import { hasFactor } from "./secondFactor.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";

/** A page of the links in emails, or a form of it. */
function page(
  method: "GET" | "POST",
  path: string,
  summary: string,
  input: () => z.ZodObject = () => z.object({}),
): ParseEndpoint<Method> {
  return {
    method,
    path: `/apps/${path}`,
    access: "everyone",
    summary,
    schemas: () => ({ ...nothing(), [method === "GET" ? "query" : "body"]: input() }),
    bodyType: "application/x-www-form-urlencoded",
    streams: ["text/html"],
    acceptsEndedSession: true,
    isApplicationOptional: true,
  };
}

const token = () => z.object({ token: z.string() });
const newPassword = () => token().extend({ new_password: z.string(), repeated: z.string().optional() });
/** `id` is the application id, `error` why the previous password was rejected. */
const chosen = () => token().extend({ id: z.string(), error: z.string().optional() });

const ENDPOINTS = defineEndpoints("Users and sessions", {
  verify: {
    ...page("GET", ":appId/verify_email", "Page of the link in verification emails", token),
    head: () => messagePage(200, "Verify your email address", ""),
  },
  resendPage: page("GET", ":appId/resend_verification_email", "Page that sends the verification email again"),
  resend: page(
    "POST",
    ":appId/resend_verification_email",
    "Send the verification email again, from that page",
    () => z.object({ email: z.string() }),
  ),
  passwordForm: page("GET", ":appId/request_password_reset", "Page to choose a new password", token),
  setPassword: page(
    "POST",
    ":appId/request_password_reset",
    "Set the new password, from that page",
    newPassword,
  ),
  choosePassword: page("GET", "choose_password", "Page to choose a new password", chosen),
  verified: page("GET", "verify_email_success.html", "Page after a verification"),
  passwordChanged: page("GET", "password_reset_success.html", "Page after a new password"),
  linkSent: page("GET", "link_send_success.html", "Page after a repeated verification email"),
  linkNotSent: page("GET", "link_send_fail.html", "Page after a verification email that was not sent"),
  invalidLink: page("GET", "invalid_link.html", "Page of a link that is not valid"),
  invalidVerificationLink: page(
    "GET",
    "invalid_verification_link.html",
    "Page of a verification link that is not valid",
  ),
});

/**
 * The pages that links in emails lead to: those of the server, or of the operator (`customPages`). In Parse Server
 * compatibility mode they are redirects to its addresses, as apps and web views expect them.
 */
export class AccountPages {
  readonly routes: ApiRoute[];
  readonly #dependencies: AuthDependencies;
  readonly #emails: AccountEmails;
  readonly #lockout: Lockout;

  constructor(dependencies: AuthDependencies, emails: AccountEmails, lockout: Lockout) {
    this.#dependencies = dependencies;
    this.#emails = emails;
    this.#lockout = lockout;
    this.routes = routesOf(ENDPOINTS, {
      verify: (request) => this.#verify(request),
      resendPage: async ({ pathParams }) => {
        this.#assertApp(pathParams.appId);
        return resendPage(200);
      },
      resend: (request) => this.#resend(request),
      passwordForm: (request) => this.#showPasswordForm(request),
      setPassword: (request) => this.#setPassword(request),
      choosePassword: (request) => this.#choosePassword(request),
      verified: async () => MESSAGE_PAGES.verify_email_success(),
      passwordChanged: async () => MESSAGE_PAGES.password_reset_success(),
      linkSent: async () => MESSAGE_PAGES.link_send_success(),
      linkNotSent: async () => MESSAGE_PAGES.link_send_fail(),
      invalidLink: async () => MESSAGE_PAGES.invalid_link(),
      invalidVerificationLink: async () => resendPage(200, this.#pathOf("resend_verification_email")),
    });
  }

  /**
   * Verifies the address that a link was sent to. It can be opened any number of times, since mail scanners open links
   * before their readers do; its token is valid until the address changes, or it expires.
   */
  async #verify(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request.pathParams.appId);
    const { token, username } = request.params;
    const { appId } = this.#dependencies.config;
    const user = await this.#ownerOf(this.#emails.verifyTokens, token);
    if (
      user &&
      (user.emailVerified === true || (await this.#change(request, user, { emailVerified: true })))
    ) {
      const fields = { username: user.username };
      return this.#page("verifyEmailSuccess", fields, MESSAGE_PAGES.verify_email_success);
    }
    // Pages of Parse Server that offer another link need the username.
    if (this.#isParseCompatible && !username) return this.#expired();
    return this.#page("invalidVerificationLink", { username, appId }, () =>
      this.#page("invalidLink", {}, resendPage),
    );
  }

  async #resend(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request.pathParams.appId);
    const { email, username } = request.params;
    const name = [email, username].find((value) => typeof value === "string" && value !== "");
    if (typeof name === "string" && (name === username || isEmailAddress(name))) {
      try {
        await this.#emails.countAgainstLimits(name, request);
      } catch (error) {
        if (!(error instanceof TooManyRequestsError)) throw error;
        const text = "Check your inbox, or try again later.";
        return this.#page("linkSendFail", {}, () => messagePage(429, "Too many emails", text));
      }
      const scope = name === username ? UNIQUE_KEYS.username : UNIQUE_KEYS.email;
      const owner = await this.#dependencies.store.getUniqueOwner(scope, foldName(name));
      const sending = this.#emails.sendVerification(owner, request);
      sendInBackground(sending, this.#dependencies.logger);
      // Otherwise known and unknown names get the same page.
      if (this.#isParseCompatible && (await sending.catch(() => undefined)) !== "sent") {
        return this.#page("linkSendFail", {}, MESSAGE_PAGES.link_send_fail);
      }
    }
    return this.#page("linkSendSuccess", {}, MESSAGE_PAGES.link_send_success);
  }

  async #showPasswordForm(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request.pathParams.appId);
    const { token } = request.params;
    const { resetTokens } = this.#emails;
    const user = await this.#ownerOf(resetTokens, token);
    if (user) return this.#passwordForm(String(token), user);
    const isUsed = (await resetTokens.consumerOf(token)) !== undefined;
    return this.#page("invalidLink", {}, isUsed ? usedLinkPage : expiredLinkPage);
  }

  /** The form at the address that Parse Server has it at. */
  async #choosePassword(request: ApiRequest): Promise<ApiReply> {
    const { token, id, error } = request.params;
    this.#assertApp(id);
    const user = await this.#ownerOf(this.#emails.resetTokens, token);
    // The page of Parse Server is always found.
    if (!user) return expiredLinkPage(this.#isParseCompatible ? 200 : 400);
    const action = this.#pathOf("request_password_reset");
    const problem = typeof error === "string" && error !== "" ? error : undefined;
    return newPasswordPage({ token: String(token), username: String(user.username), problem, action });
  }

  async #setPassword(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request.pathParams.appId);
    const isScript = request.headers?.["x-requested-with"] === "XMLHttpRequest";
    const { token, new_password: password, repeated } = request.params;
    if (isScript) {
      if (this.#isParseCompatible)
        assertGiven(ErrorCode.USERNAME_MISSING, request.params.username, "username");
      assertGiven(ErrorCode.OTHER_CAUSE, token, "token");
      assertGiven(ErrorCode.PASSWORD_MISSING, password, "password");
    }
    const user = await this.#ownerOf(this.#emails.resetTokens, token);
    if (!user) return isScript ? failed(INVALID_TOKEN) : this.#expired();
    const retry = (problem: string) =>
      isScript ? failed(problem) : this.#passwordForm(String(token), user, problem);
    if (typeof password !== "string" || password === "") return retry("Enter a new password.");
    if (repeated !== undefined && repeated !== password) return retry("The passwords do not match.");
    const { store, schemaOf, config, passwords } = this.#dependencies;
    const found = await store.getSecret(schemaOf("_User"), String(user.objectId));
    try {
      const known = { username: user.username, secret: found?.secret ?? {} };
      await assertPassword(password, config.policy, known, passwords, request);
    } catch (error) {
      if (error instanceof ProtocolError) return retry(error.message);
      throw error;
    }
    const owner = await this.#emails.resetTokens.consume(token, config.policy.resetTokenSeconds);
    const isVerified = Boolean(config.verifyUserEmails) && user.email !== undefined;
    const fields = { password, ...(isVerified && { emailVerified: true }) };
    if (owner === undefined || !(await this.#change(request, user, fields)))
      return isScript ? failed(INVALID_TOKEN) : this.#expired();
    // An email does not prove the second factor, so failed codes keep counting.
    const isUnlocked = !hasFactor(found?.secret.authData);
    const unlock = isUnlocked ? this.#lockout.passwordResetWrites(owner) : [];
    if (unlock.length > 0) await store.write(unlock);
    if (isScript) return { status: 200, body: JSON.stringify("Password successfully reset") };
    return this.#page(
      "passwordResetSuccess",
      { username: user.username },
      MESSAGE_PAGES.password_reset_success,
    );
  }

  #passwordForm(token: string, user: JsonObject, problem?: string): ApiReply {
    const { appId: id, appName: app } = this.#dependencies.config;
    const username = String(user.username);
    const params =
      problem === undefined ? { token, id, username, app } : { username, token, id, error: problem, app };
    return this.#page("choosePassword", params, () =>
      newPasswordPage({ token, username, problem, action: "request_password_reset" }),
    );
  }

  #expired(): ApiReply {
    return this.#page("invalidLink", {}, expiredLinkPage);
  }

  /** A redirect to a page with parameters, or the server's own page if there is none. */
  #page(name: PageName, params: Record<string, unknown>, ownPage: () => ApiReply): ApiReply {
    return pageRedirect(this.#dependencies.config, name, params) ?? ownPage();
  }

  /** The address of a page of the application, relative to pages below `/apps`. */
  #pathOf(name: string): string {
    return `${encodeURIComponent(this.#dependencies.config.appId)}/${name}`;
  }

  get #isParseCompatible(): boolean {
    return this.#dependencies.config.compatibility === "parse";
  }

  async #ownerOf(tokens: EmailTokens, token: unknown): Promise<JsonObject | undefined> {
    const owner = await tokens.ownerOf(token);
    return owner === undefined ? undefined : this.#emails.userOf(owner);
  }

  /**
   * Updates the user with the master key, because a token has proved the identity. Returns false if the email address
   * was changed since the user was read: the token was for the old one.
   */
  async #change(request: RequestContext, user: JsonObject, fields: JsonObject): Promise<boolean> {
    const { objects } = this.#dependencies;
    const userId = String(user.objectId);
    let current: JsonObject | undefined = user;
    for (let attempt = 1; current && current.email === user.email; attempt++) {
      const options = { ifUpdatedAt: String(current.updatedAt) };
      try {
        await objects.update({ ...request, auth: MASTER }, "_User", userId, fields, options);
        return true;
      } catch (error) {
        const isConflict = error instanceof ProtocolError && error.code === UPDATE_CONFLICT;
        if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
        current = await this.#emails.userOf(userId);
      }
    }
    return false;
  }

  #assertApp(appId: unknown): void {
    if (appId === this.#dependencies.config.appId) return;
    throw operationForbidden("unauthorized", 403);
  }
}

/** Maximum attempts to update a user that other requests update at the same time. */
const MAX_ATTEMPTS = 10;

/** The text of Parse Server for a reset token that is not valid. */
const INVALID_TOKEN = "Failed to reset password: username / email / token is invalid";

/** Pages without parameters, also by the addresses that Parse Server has them at. */
const MESSAGE_PAGES = {
  verify_email_success: () =>
    messagePage(200, "Email verified", "You can close this page and return to the app."),
  password_reset_success: () =>
    messagePage(200, "Password changed", "You can now sign in with your new password."),
  link_send_success: () =>
    messagePage(200, "Check your email", "If an account has this address, a new link is on its way."),
  link_send_fail: () =>
    messagePage(200, "No email was sent", "The address is verified already, or no account has it."),
  invalid_link: () => expiredLinkPage(200),
} satisfies Record<string, () => ApiReply>;

function expiredLinkPage(status = 400): ApiReply {
  return messagePage(
    status,
    "This link is no longer valid",
    "It has been used or has expired. Request a new one in the app.",
  );
}

/** The page of a link that is opened again after it has served its purpose. */
function usedLinkPage(): ApiReply {
  return messagePage(
    200,
    "Password changed",
    "This link has been used. Sign in with your new password, or request another link in the app.",
  );
}

/** Throws what scripts expect if a parameter of the password form is missing. */
function assertGiven(code: number, value: unknown, name: string): void {
  if (value === undefined || value === "") throw new ProtocolError(code, `Missing ${name}`);
}

function failed(problem: string): never {
  throw new ProtocolError(ErrorCode.OTHER_CAUSE, problem);
}
